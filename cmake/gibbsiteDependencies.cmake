# Finds the libraries Gibbsite stands on, each as a target gibbsite_dep::NAME. Used by the build, and installed beside
# gibbsiteConfig.cmake for those who link the static library.
#
# What is not found is listed in GIBBSITE_MISSING, with the Debian package that brings it.

find_package(PkgConfig QUIET)

# gibbsite_dependency(name PACKAGE debian-package HEADER file LIBRARY file [MODULES pkg-config-names...])
# pkg-config first, then a plain look for header and library.
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
    if(NOT _gd_target)
      find_path(GIBBSITE_${_gd_upper}_HEADER ${_gd_HEADER} PATH_SUFFIXES openblas)
      find_library(GIBBSITE_${_gd_upper}_LIBRARY ${_gd_LIBRARY})
      mark_as_advanced(GIBBSITE_${_gd_upper}_HEADER GIBBSITE_${_gd_upper}_LIBRARY)
    endif()
    if(_gd_target)
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
  gibbsite_dependency(lbfgs PACKAGE liblbfgs-dev HEADER lbfgs.h LIBRARY lbfgs MODULES liblbfgs lbfgs)
  gibbsite_dependency(jansson PACKAGE libjansson-dev HEADER jansson.h LIBRARY jansson MODULES jansson)
endmacro()
