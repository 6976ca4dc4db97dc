# What the pages show was typed: blocks ```rconsole of docs/*.md are run and compared.

blocks_of <- function(lines) {
    begin <- which(lines == "```rconsole")
    lapply(begin, function(b) lines[seq(b + 1, b + which(lines[-(1:b)] == "```")[1] - 1)])
}

# What a block prints when it is typed: each command, then its output and messages.
typed <- function(block, envir) {
    at <- grep("^> ", block)
    ends <- c(at[-1] - 1, length(block))
    shown <- character()
    for (k in seq_along(at)) {
        lines <- block[at[k]:ends[k]]
        code <- lines[grepl("^[>+] ", lines)]
        said <- character()
        out <- capture.output(withCallingHandlers(
            for (one in parse(text = sub("^[>+] ", "", code))) {
                value <- withVisible(eval(one, envir))
                if (value$visible) print(value$value)
            }, message = function(m) {
                said <<- c(said, sub("\n$", "", conditionMessage(m)))
                invokeRestart("muffleMessage")
            }))
        shown <- c(shown, code, said, out)
    }
    shown
}

# GIBBSITE_UPDATE=yes puts in what is printed now.
page <- function(name) {
    path <- file.path(Sys.getenv("GIBBSITE_ROOT", "nowhere"), "docs", name)
    if (!file.exists(path)) skip("no pages here")
    lines <- readLines(path, encoding = "UTF-8")
    envir <- new.env(parent = globalenv())
    made <- lapply(blocks_of(lines), typed, envir)
    if (identical(Sys.getenv("GIBBSITE_UPDATE"), "yes")) {
        for (k in rev(seq_along(made))) {
            b <- which(lines == "```rconsole")[k]
            e <- b + which(lines[-(1:b)] == "```")[1]
            lines <- c(lines[1:b], made[[k]], lines[e:length(lines)])
        }
        writeLines(lines, path)
    }
    list(written = blocks_of(lines), made = made)
}

test_that("docs/r.md shows what R prints", {
    p <- page("r.md")
    expect_identical(p$made, p$written)
})

test_that("docs/pacvb.md shows what R prints", {
    skip_if_not_installed("MASS")
    p <- page("pacvb.md")
    expect_identical(p$made, p$written)
})

test_that("a page that shows something else is found", {
    expect_identical(typed(c("> x <- 1 +", "+   1", "> x", "[1] 3"), new.env()),
                     c("> x <- 1 +", "+   1", "> x", "[1] 2"))
})
