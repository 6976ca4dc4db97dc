# Calls of the library: what they say, how they fail, what is handed to them.

# The value of a call. Warnings of the library are messages; a failure is a condition of class
# gibbsite_error, with the library's word for it as `code`.
native <- function(told) {
    for (text in told$messages) message(spelled(text))
    if (is.null(told$code)) return(told$value)
    if (told$code == "interrupt") .Call(C_interrupt)
    refuse(spelled(told$message), told$code)
}

refuse <- function(text, code = "argument") {
    stop(structure(list(message = text, call = NULL, code = code),
                   class = c(paste0("gibbsite_", code, "_error"), "gibbsite_error", "error",
                             "condition")))
}

# The library names an option as `prior-sd`; an argument here is prior_sd, or something that R has.
spelled <- function(text) {
    Encoding(text) <- "UTF-8"
    text <- gsub("`drop` (.*) leaves it out", "leave it out of the rows if so", text)
    text <- gsub("`positive` LABEL", "y == LABEL", text, fixed = TRUE)
    text <- gsub("`group`", "`groups`", text, fixed = TRUE)
    at <- gregexpr("`[a-z-]+`", text)
    regmatches(text, at) <- lapply(regmatches(text, at), function(x) gsub("-", "_", x))
    text
}

# What the library tells of a handle, out of the bytes of its JSON.
told_by <- function(bytes) {
    text <- rawToChar(bytes)
    Encoding(text) <- "UTF-8"
    fromJSON(text, simplifyVector = FALSE)
}

# ---------------------------------------------------------------- how a call runs

# list(seed, threads, progress), as src/call.c takes it.
how <- function(seed = 1, threads = NULL, progress = NULL) {
    list(as.double(seed), threads_of(threads), if (!is.null(progress)) watched(progress))
}

# A progress function that answers whether the user interrupted it: C cannot tell that from an
# error.
watched <- function(progress) {
    function(stage, done) {
        tryCatch({
            progress(stage, done)
            FALSE
        }, interrupt = function(condition) TRUE)
    }
}

# Two at most unless more are asked for: others work on this machine too.
threads_of <- function(threads) {
    if (is.null(threads)) threads <- getOption("gibbsite.threads", 2L)
    if (!is.numeric(threads) || length(threads) != 1 || is.na(threads) || threads < 1)
        refuse("threads must be a whole number from 1")
    as.integer(min(threads, 1024))
}

# R's own random numbers choose the seed, so that set.seed() governs it.
seed_of <- function(seed) {
    if (is.null(seed)) return(as.double(sample.int(.Machine$integer.max, 1L)))
    if (!is.numeric(seed) || length(seed) != 1 || is.na(seed) || seed < 0 || seed >= 2^53 ||
            seed != floor(seed))
        refuse("seed must be a whole number from 0")
    as.double(seed)
}

# A bar of the package cli while a call runs; `wanted` FALSE, or no cli: none.
progress_of <- function(wanted, envir) {
    if (!isTRUE(wanted) || !requireNamespace("cli", quietly = TRUE)) return(NULL)
    bar <- cli::cli_progress_bar("gibbsite", total = 100, .envir = envir)
    function(stage, done) {
        cli::cli_progress_update(set = round(100 * done), id = bar, status = stage, .envir = envir)
    }
}

# ---------------------------------------------------------------- options

# Arguments of `...` by the library's names; the library refuses those that it does not know.
options_of <- function(given, task = NULL, allowed = character()) {
    if (length(given) && (is.null(names(given)) || any(names(given) == "")))
        refuse("arguments after the rows must be named")
    names(given) <- gsub("[._]", "-", names(given))
    if (is.function(given$family) || inherits(given$family, "family"))
        refuse(paste("`family` is that of the posterior, such as \"full\"; there is no likelihood",
                     "here to have one as in glm()"))
    command <- if (is.null(task)) character() else "fit"
    if (length(command)) {
        table <- .Call(C_options, command)
        for (name in setdiff(names(given), allowed)) {
            group <- table$group[match(name, table$name)]
            if (name == "task" || identical(group, "data"))
                refuse(paste0("`", gsub("-", "_", name), "` is not an argument here"))
        }
        given <- c(given, list(task = task))
    }
    given <- given[!vapply(given, function(x) is.null(x) || identical(x, FALSE), NA)]
    if (anyDuplicated(names(given)))
        refuse(paste0("`", names(given)[anyDuplicated(names(given))], "` is given twice"))
    Map(option_value, given, names(given))
}

option_value <- function(value, name) {
    if (isTRUE(value)) return(TRUE)
    if (is.numeric(value) && length(value) && !anyNA(value)) return(as.double(value))
    if (is.character(value) && length(value) == 1 && !is.na(value)) return(value)
    refuse(paste0("`", gsub("-", "_", name), "`: expected a number, a text or TRUE"))
}

# What there is to ask for; ?gibbsite_options.
gibbsite_options <- function(command = c("fit", "sample", "complete", "theory")) {
    command <- match.arg(command)
    table <- as.data.frame(.Call(C_options, command), stringsAsFactors = FALSE)
    table <- table[!is.na(table$group) & table$group != "data" & table$name != "task", ]
    table$name <- gsub("-", "_", table$name)
    table$help <- vapply(table$help, spelled, "", USE.NAMES = FALSE)
    table$group <- NULL
    row.names(table) <- NULL
    table
}

# ---------------------------------------------------------------- handles

# A model keeps the bytes of its file beside the library's handle: a handle does not outlive the
# session, and saveRDS() takes the bytes.
keep_handle <- function(box, bytes) {
    place <- new.env(parent = emptyenv())
    place$box <- box
    list(place = place, bytes = bytes)
}

handle_of <- function(object) {
    kept <- object$handle
    if (!.Call(C_alive, kept$place$box)) {
        again <- switch(class(object)[length(class(object))],
                        gibbsite_sample = .Call(C_sample_from_json, kept$bytes),
                        gibbsite_completion = .Call(C_completion_from_json, kept$bytes),
                        .Call(C_from_json, kept$bytes))
        kept$place$box <- native(again)
    }
    kept$place$box
}
