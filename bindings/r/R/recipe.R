# Frames that go through the library's recipe: typed columns, levels, missing cells. The model keeps
# the recipe, so that a file of it scores raw rows here, in Python and on the command line.

# ---------------------------------------------------------------- which formulas

# A formula that only lists variables, all of which a file could have as they are: their names. NULL
# where it transforms them, has interactions or codings of its own, or where R knows more of a
# variable than a file does: an order of its levels, a class, texts that a file takes for missing.
plain_inputs <- function(tt, raw, contrasts) {
    factors <- attr(tt, "factors")
    if (!is.null(contrasts) || length(factors) == 0 || any(attr(tt, "order") != 1)) return(NULL)
    variables <- as.list(attr(tt, "variables"))[-1][apply(factors, 2, function(k) which(k > 0)[1])]
    if (!all(vapply(variables, is.name, NA))) return(NULL)
    names <- vapply(variables, as.character, "")
    plain <- vapply(names, function(name) is_plain(raw[[name]]), NA)
    if (all(plain) && !anyDuplicated(names)) names
}

is_plain <- function(v) {
    if (is.null(v) || !is.null(dim(v)) || is.ordered(v)) return(FALSE)
    texts <- if (is.factor(v)) levels(v) else if (is.character(v)) unique(v)
    if (is.null(texts)) return(!is.object(v) && (is.numeric(v) || is.logical(v)))
    missing <- texts %in% c("", "NA") | (!is.na(texts) & tolower(texts) == "nan")
    !any(missing) && !(is.factor(v) && anyNA(texts))
}

is_texts <- function(x) vapply(x, function(v) is.factor(v) || is.character(v) || is.logical(v), NA)

# The rows of a plain formula that the recipe is to read; NULL: numbers alone, which are columns as
# they are, or factors of which no rows are set aside: the levels that they declare were not learned
# from rows that certify, and the recipe's would be.
formula_inputs <- function(rows, labels, options, how) {
    if (is.null(rows$inputs)) return(NULL)
    x <- rows$raw[rows$inputs]
    texts <- is_texts(x)
    if (!any(texts)) return(if (identical(rows$missing, "impute")) x)
    if (!any(vapply(x, is.character, NA)) && !identical(rows$missing, "impute") &&
            all(native(.Call(C_split, prints_of(rows, labels), options, how)))) return(NULL)
    x[texts] <- lapply(x[texts], as.character) # as a file has them
    x
}

# ---------------------------------------------------------------- training

# The column of the labels: numbers stay numbers, so that a file knows them as such.
label_column <- function(labels) {
    if (is.numeric(labels$values)) return(as.double(labels$values)[labels$number])
    table_label(labels)[labels$number]
}

table_label <- function(labels)
    if (is.logical(labels$values)) as.character(labels$values) else label_text(labels$values)

# Options of a fit by a table: those given, and what the table is.
table_options <- function(given, command, labels, target, missing) {
    given <- c(given, list(target = target, missing = missing))
    if (length(labels$classes) == 2) given$positive <- table_label(labels)[2]
    options_of(given, command, c("target", "missing", "positive"))
}

# What the column of the labels is called, beside those of x.
free_target <- function(x, response = NULL)
    setdiff(c(response, "y", "target", "label", "y_"), names(x))[1]

# Data of a frame, the recipe learned from the rows that `options` learn from: list(data, rows,
# what the recipe did not know of them). Weights and groups are columns of the table.
train_rows <- function(command, x, labels, options, how, weights = NULL, groups = NULL) {
    target <- options$target
    aside <- aside_columns(weights, groups, c(names(x), target))
    columns <- c(table_columns(x), list(label_column(labels)), aside$columns)
    made <- native(.Call(C_train, command, columns, enc2utf8(c(names(x), target, aside$names)),
                         c(options, aside$options), how))
    tell_levels(made)
    made
}

tell_levels <- function(made) {
    told <- Map(function(count, level) list(count = count, level = level), made$count, made$level)
    tell_unseen(structure(told, names = made$unseen))
}

# Weights and groups as columns of a table, so that the recipe learns from the right rows.
aside_columns <- function(weights, groups, taken) {
    values <- list(weights = weights,
                   group = if (!is.null(groups)) as.double(match(groups, unique(groups))))
    values <- values[!vapply(values, is.null, NA)]
    names <- vapply(names(values), function(name) setdiff(c(name, paste("the", name), "(_)"),
                                                          taken)[1], "")
    list(columns = unname(lapply(values, as.double)), names = unname(names),
         options = as.list(names))
}

# ---------------------------------------------------------------- what a recipe makes

recipe_in <- function(object) {
    text <- .Call(if (inherits(object, "gibbsite_sample")) C_sample_recipe else C_recipe,
                  handle_of(object))
    if (is.null(text)) list() else fromJSON(text, simplifyVector = FALSE)
}

# The levels of its texts, as model.frame() has them in `xlevels`.
recipe_levels <- function(recipe) {
    texts <- Filter(function(k) identical(k$type, "text"), recipe$inputs)
    structure(lapply(texts, function(k) as.character(unlist(k$levels))),
              names = vapply(texts, function(k) k$name, ""))
}

# The columns of one input: itself, or one for each level, and one that marks filled cells.
input_columns <- function(input, value) {
    gone <- is.na(value)
    if (identical(input$type, "text")) {
        levels <- as.character(unlist(input$levels))
        value <- as.character(value)
        if ("fill" %in% names(input)) value[gone] <- if (is.null(input$fill)) "" else input$fill
        x <- outer(value, levels, `==`) + 0
        colnames(x) <- paste0(input$name, levels)
    } else {
        value <- as.double(value)
        if ("fill" %in% names(input)) value[gone] <- input$fill
        x <- matrix(value, dimnames = list(NULL, input$name))
    }
    if (isTRUE(input$marked)) x <- cbind(x, gone + 0)
    if (isTRUE(input$marked)) colnames(x)[ncol(x)] <- paste0(input$name, "NA")
    x
}

# The design of raw rows, its columns called as those of a formula are.
recipe_matrix <- function(recipe, raw) {
    x <- lapply(recipe$inputs, function(k) input_columns(k, raw[[k$name]]))
    structure(do.call(cbind, x), dimnames = list(row.names(raw),
                                                 unlist(lapply(x, colnames))))
}

# The names of those columns.
design_names <- function(recipe)
    unlist(lapply(recipe$inputs, function(k) colnames(input_columns(k, logical(0)))))
