# Rows whose truth is known, written with two decimals: the same numbers in a file and here.
some_rows <- function(n = 240, d = 3, seed = 1, flips = 0.1) {
    set.seed(seed)
    x <- matrix(round(rnorm(n * d), 2), n, dimnames = list(NULL, paste0("x", seq_len(d))))
    y <- sign(x[, 1] - 0.5 * x[, 2] + 0.01)
    flip <- runif(n) < flips
    y[flip] <- -y[flip]
    data.frame(x, y = y)
}

value_of <- function(model) certificate(model)$value

# The program of the checkout, or the test is skipped.
program <- function() {
    path <- Sys.getenv("GIBBSITE", file.path(Sys.getenv("GIBBSITE_ROOT", "nowhere"), "build",
                                             "gibbsite"))
    if (!file.exists(path)) skip("no program gibbsite")
    path
}

cli <- function(...) {
    said <- system2(program(), c(...), stdout = TRUE)
    if (!is.null(attr(said, "status"))) stop("gibbsite ", paste(c(...), collapse = " "))
    said
}

folder <- function() {
    path <- tempfile("gibbsite")
    dir.create(path)
    path
}
