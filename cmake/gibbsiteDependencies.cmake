# Finds the libraries Gibbsite stands on, each as a target gibbsite_dep::NAME. Used by the build,
# and installed beside gibbsiteConfig.cmake for those who link the static library.
#
# What is not found is listed in GIBBSITE_MISSING, with the Debian package that brings it.

find_package(PkgConfig QUIET)

# gibbsite_dependency(name PACKAGE debian-package HEADER file LIBRARY file
#                     [MODULES pkg-config-names...])
# pkg-config first, then a plain look for header and library. Where both find
# the same file, the library is named by the plain path: pkg-config names Debian's OpenBLAS by the
# folder of one of its builds, and a program linked by that path gets a RUNPATH, which goes past the
# system's choice of a BLAS.
macro(gibbsite_dependency name)
  cmake_parse_arguments(_gd "" "PACKAGE;HEADER;LIBRARY" "MODULES" ${ARGN})
  string(TOUPPER ${name} _gd_upper)
  if(NOT TARGET gibbsite_dep::${name})
    set(_gd_target)
    if(PkgConfig_FOUND AND _gd_MODULES)
      pkg_search_module(GIBBSITE_${_gd_upper} QUIET IMPORTED_TARGET ${_gd_MODULES})
      if(GIBBSITE_${_gd_upper}_FOUND)
        set(_gd_target PkgConfig::GIBBSITE_${_gd_upper})
      endif()
    endif()
    find_library(GIBBSITE_${_gd_upper}_LIBRARY ${_gd_LIBRARY})
    mark_as_advanced(GIBBSITE_${_gd_upper}_LIBRARY)
    if(NOT _gd_target)
      find_path(GIBBSITE_${_gd_upper}_HEADER ${_gd_HEADER} PATH_SUFFIXES openblas)
      mark_as_advanced(GIBBSITE_${_gd_upper}_HEADER)
    endif()
    set(_gd_plain FALSE)
    if(_gd_target AND GIBBSITE_${_gd_upper}_LIBRARY)
      file(REAL_PATH "${GIBBSITE_${_gd_upper}_LIBRARY}" _gd_here)
      foreach(_gd_named IN LISTS GIBBSITE_${_gd_upper}_LINK_LIBRARIES)
        file(REAL_PATH "${_gd_named}" _gd_there)
        if(_gd_here STREQUAL _gd_there)
          set(_gd_plain TRUE)
        endif()
      endforeach()
    endif()
    if(_gd_plain)
      add_library(gibbsite_dep::${name} INTERFACE IMPORTED)
      target_include_directories(gibbsite_dep::${name}
                                 INTERFACE ${GIBBSITE_${_gd_upper}_INCLUDE_DIRS})
      target_link_libraries(gibbsite_dep::${name} INTERFACE ${GIBBSITE_${_gd_upper}_LIBRARY})
    elseif(_gd_target)
      add_library(gibbsite_dep::${name} INTERFACE IMPORTED)
      target_link_libraries(gibbsite_dep::${name} INTERFACE ${_gd_target})
    elseif(GIBBSITE_${_gd_upper}_HEADER AND GIBBSITE_${_gd_upper}_LIBRARY)
      add_library(gibbsite_dep::${name} INTERFACE IMPORTED)
      target_include_directories(gibbsite_dep::${name} INTERFACE ${GIBBSITE_${_gd_upper}_HEADER})
      target_link_libraries(gibbsite_dep::${name} INTERFACE ${GIBBSITE_${_gd_upper}_LIBRARY})
    else()
      list(APPEND GIBBSITE_MISSING "${name} (${_gd_PACKAGE})")
    endif()
  endif()
endmacro()

macro(gibbsite_find_library_dependencies)
  gibbsite_dependency(openblas PACKAGE libopenblas-dev HEADER cblas.h LIBRARY openblas MODULES openblas)
  gibbsite_dependency(jansson PACKAGE libjansson-dev HEADER jansson.h LIBRARY jansson MODULES jansson)
  gibbsite_dependency(zlib PACKAGE zlib1g-dev HEADER zlib.h LIBRARY z MODULES zlib)
endmacro()
