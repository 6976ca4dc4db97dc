# Files of the command line, and the page of a report.

gibbsite_save <- function(object, path) {
    if (!is.list(object) || is.null(object$handle$bytes))
        refuse("gibbsite_save() takes a fit, a sample or a completion of this package")
    if (isTRUE(object$transformed)) tell_transformed("this file wants")
    native(.Call(C_write, path.expand(path), object$handle$bytes))
    invisible(object)
}

gibbsite_load <- function(path) {
    found <- native(.Call(C_load, path.expand(path)))
    if (!is.null(found$sample)) return(load_sample(match.call(), found$sample))
    if (!is.null(found$completion)) return(tell_completion(list(call = match.call()),
                                                           found$completion))
    box <- found$model
    told <- told_by(native(.Call(C_describe, box)))
    object <- by_recipe(list(call = match.call(), task = told$task), told, .Call(C_recipe, box))
    tell(object, box)
}

load_sample <- function(call, box) {
    tell_sample(by_recipe(list(call = call), list(), .Call(C_sample_recipe, box)), box)
}

# Of a formula that transforms its variables a file has the columns, not the way to them.
tell_transformed <- function(what, formula = NULL) {
    message(what, " the columns of the formula's model matrix",
            if (!is.null(formula)) paste0(" (", formula, ")"), ", under their names: rows have to ",
            "have them, here, in Python and on the command line (saveRDS() keeps the formula)")
}

# Columns and labels as the recipe of a file has them.
by_recipe <- function(object, told, recipe) {
    recipe <- if (is.null(recipe)) list() else fromJSON(recipe, simplifyVector = FALSE)
    object$columns <- if (isTRUE(recipe$named)) vapply(recipe$inputs, function(k) k$name, "")
    object$labels <- labels_of_file(told, recipe)
    object$raw <- any(vapply(recipe$inputs, function(k) {
        identical(k$type, "text") || "fill" %in% names(k)
    }, NA))
    if (is.character(recipe$formula)) {
        object$transformed <- TRUE
        tell_transformed("this model wants", recipe$formula)
    }
    object
}

# Labels as a file has them: numbers where it says so.
labels_of_file <- function(told, recipe) {
    texts <- unlist(told$classes)
    if (is.null(texts))
        texts <- c(if (is.null(recipe$negative)) "-1" else recipe$negative,
                   if (is.null(recipe$positive)) "1" else recipe$positive)
    numbers <- suppressWarnings(as.numeric(texts))
    numeric <- identical(recipe$target_type, "number") || is.null(recipe$target_type)
    list(classes = texts, values = if (numeric && !anyNA(numbers)) numbers else texts,
         levels = if (!numeric) texts)
}

# What the program would print of the same run as JSON.
run_of <- function(object) {
    info <- object$info
    command <- switch(class(object)[length(class(object))], gibbsite_sample = "sample",
                      gibbsite_completion = "complete", "fit")
    seed <- if (is.null(object$seed)) 1 else object$seed # of a file
    data <- if (command == "fit")
        list(data = list(file = "data in memory", rows = info$n, columns = info$d, target = "y",
                         positive = object$labels$classes[2],
                         negative = object$labels$classes[1]))
    if (command == "sample") info$path <- object$points
    info$row_names <- info$column_names <- NULL
    c(list(gibbsite = .Call(C_version), command = command,
           options = list(inputs = list("data in memory"),
                          given = structure(list(), names = character()), seed = seed)),
      data, info, list(test = NULL))
}

# The library makes the page.
report <- function(object, path) {
    if (!inherits(object, c("gibbsite", "gibbsite_sample", "gibbsite_completion")))
        refuse("report() takes a fit, a sample or a completion of this package")
    run <- enc2utf8(as.character(toJSON(run_of(object), auto_unbox = TRUE, digits = NA,
                                        null = "null")))
    page <- native(.Call(C_report, "R", run))
    native(.Call(C_write, path.expand(path), page))
    invisible(object)
}
