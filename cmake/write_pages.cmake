# cmake -DPROGRAM=gibbsite -DOUT=DIR -P write_pages.cmake: lets the program write its manual pages
# to DIR/man and its completions to DIR/bash, DIR/zsh and DIR/fish.
file(REMOVE_RECURSE ${OUT})

function(write_page file)
  execute_process(COMMAND ${PROGRAM} help ${ARGN} OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${OUT}/${file} "${page}")
endfunction()

execute_process(COMMAND ${PROGRAM} help --json OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(JSON last LENGTH "${help}" commands)
math(EXPR last "${last} - 1")
write_page(man/gibbsite.1 --man)
foreach(k RANGE ${last})
  string(JSON name GET "${help}" commands ${k} name)
  write_page(man/gibbsite-${name}.1 --man ${name})
endforeach()
write_page(bash/gibbsite --completion bash)
write_page(zsh/_gibbsite --completion zsh)
write_page(fish/gibbsite.fish --completion fish)
file(TOUCH ${OUT}/stamp)
