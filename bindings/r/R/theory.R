# What is promised before any data is seen.

theory <- function(...) {
    told <- native(.Call(C_theory, options_of(list(...))))
    as.data.frame(told, stringsAsFactors = FALSE)
}
