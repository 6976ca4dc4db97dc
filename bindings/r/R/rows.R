# Rows for the library: labels, matrices, sparse matrices, frames.

# Bits of gbs_looked, by what was chosen after a look at the rows.
looked_names <- c(lambda = 1L, prior_sd = 2L, columns = 4L, cx = 8L, bound = 16L)

looked_bits <- function(looked) {
    unknown <- setdiff(looked, names(looked_names))
    if (length(unknown))
        refuse(paste0("looked: expected some of ", toString(names(looked_names)), "; found ",
                      unknown[1]))
    sum(looked_names[unique(looked)])
}

# ---------------------------------------------------------------- labels

# The number of each row's class, and what the numbers stand for: of a factor its declared levels,
# of numbers and texts their values, sorted. Of two, the second one is positive: `sign` is -1 or +1.
labels_of <- function(y, positive = NULL, many = TRUE) {
    if (is.matrix(y) && ncol(y) == 1) y <- y[, 1]
    if (!is.null(dim(y)) || is.list(y)) refuse("the labels must be a vector or a factor", "data")
    if (anyNA(y)) refuse("a label is missing", "data")
    values <- if (is.factor(y)) levels(y) else if (is.logical(y)) c(FALSE, TRUE) else
        sort(unique(y))
    check_classes(y, values, many)
    if (!is.null(positive)) {
        if (length(values) > 2) refuse("positive: there are more than two classes")
        if (!as.character(positive) %in% as.character(values))
            refuse(paste0("positive: there is no label ", positive))
        values <- values[order(as.character(values) == as.character(positive))]
    }
    number <- match(as.character(y), as.character(values))
    list(number = number, sign = if (length(values) == 2) ifelse(number == 2L, 1, -1),
         classes = as.character(values), values = values,
         levels = if (is.factor(y)) levels(y), ordered = is.ordered(y))
}

check_classes <- function(y, values, many) {
    count <- length(values)
    if (count == 2) return()
    unused <- is.factor(y) && nlevels(droplevels(y)) == 2
    if (!many || count < 2 || unused)
        refuse(paste0("two classes ", if (many) "at least ", "are needed, and the labels have ",
                      count, if (unused) ", of which two occur: see droplevels()"), "data")
    if (is.double(y) && any(y != floor(y)))
        refuse(paste("the labels are", count, "numbers that are not whole: are they classes?",
                     "factor() says so"), "data")
}

# Labels as the response had them, out of numbers from 1.
as_labels <- function(number, labels) {
    value <- labels$values[number]
    if (is.null(labels$levels)) return(value)
    factor(value, levels = labels$levels, ordered = isTRUE(labels$ordered))
}

# How a label is written in a model file.
label_text <- function(values) {
    if (is.logical(values)) return(as.character(as.integer(values)))
    if (is.numeric(values)) return(vapply(values, format, "", digits = 17))
    as.character(values)
}

# ---------------------------------------------------------------- data

is_sparse <- function(x) isS4(x) && inherits(x, "dgCMatrix")

# A frame that the library's own recipe is to read: texts, or missing cells.
is_raw <- function(x) {
    is.data.frame(x) && (anyNA(x) || !all(vapply(x, function(v) is.numeric(v) || is.logical(v),
                                                NA)))
}

# Rows whose missing cells are to be dropped or filled are a frame.
framed <- function(x, missing) {
    if (!missing %in% c("error", "drop", "impute"))
        refuse("missing: expected error, drop or impute")
    if (is.matrix(x) && is.numeric(x) && missing != "error" && anyNA(x)) x <- as.data.frame(x)
    twice <- anyDuplicated(colnames(x))
    if (twice) refuse(paste0("two columns are called '", colnames(x)[twice], "'"), "data")
    x
}

# Whole numbers of 64 bits (package bit64) lie in the bits of doubles, which R takes for other
# numbers wherever that package does not see them; and beyond 2^53 they lose digits.
refuse_integer64 <- function(x) {
    for (name in names(x))
        if (inherits(x[[name]], "integer64"))
            refuse(paste0("column '", name, "' is an integer64; make numbers (as.numeric) or ",
                          "texts (as.character) of it first, with package bit64"), "data")
}

as_numbers <- function(x) {
    if (is.data.frame(x)) {
        refuse_integer64(x)
        for (name in names(x))
            if (!(is.numeric(x[[name]]) || is.logical(x[[name]])))
                refuse(paste0("column '", name, "' is a ", class(x[[name]])[1],
                              ", and numbers are needed"), "data")
        x <- data.matrix(x)
    }
    if (is.logical(x)) storage.mode(x) <- "double"
    if (!is.matrix(x) || !is.numeric(x))
        refuse("x must be a matrix of numbers, a data frame, or a dgCMatrix", "data")
    storage.mode(x) <- "double"
    x
}

check_finite <- function(x) {
    bad <- which(!is.finite(x), arr.ind = TRUE)
    if (length(bad)) {
        column <- colnames(x)[bad[1, 2]]
        if (is.null(column)) column <- bad[1, 2]
        refuse(paste0("row ", bad[1, 1], ", column ", column, ": ", x[bad[1, 1], bad[1, 2]]),
               "data")
    }
}

# Rows, with their labels or without.
data_of <- function(x, labels = NULL) {
    if (is_sparse(x)) {
        data <- sparse_data(x, labels$sign)
    } else {
        check_finite(x)
        data <- native(.Call(C_dense, t(x), labels$sign))
    }
    if (length(labels$classes) > 2)
        native(.Call(C_classes, data, labels$number - 1L, length(labels$classes)))
    data
}

# R keeps sparse matrices by columns, the library by rows.
sparse_data <- function(x, sign) {
    column <- rep.int(seq_len(ncol(x)) - 1L, diff(x@p))
    by_row <- order(x@i, column)
    start <- c(0, cumsum(tabulate(x@i + 1L, nrow(x))))
    native(.Call(C_csr, as.double(dim(x)), as.double(start), column[by_row],
                 as.double(x@x[by_row]), sign))
}

# Columns of a frame as the library's tables take them. `types`: what a model knows them as.
table_columns <- function(x, types = NULL) {
    refuse_integer64(x)
    columns <- lapply(names(x), function(name) {
        v <- x[[name]]
        known <- if (is.null(types)) "" else types[[name]]
        if (known == "text" && all(is.na(v))) v <- as.character(v)
        text <- is.factor(v) || is.character(v)
        if ((known == "text") != text && known != "")
            refuse(paste0("column '", name, "' is a ", class(v)[1], "; the fit had ",
                          if (text) "numbers" else "texts", " there"), "data")
        if (text) return(enc2utf8(as.character(v)))
        if (!is.null(dim(v)) || inherits(v, c("Date", "POSIXt", "difftime")) ||
                !(is.numeric(v) || is.logical(v)))
            refuse(paste0("column '", name, "' is a ", class(v)[1],
                          "; make numbers or texts of it first"), "data")
        v <- as.double(v)
        v[is.nan(v)] <- NA
        v
    })
    columns
}

# Names of columns and labels as model files keep them, so that the command line can use a model
# that was fitted to a matrix.
recipe_of <- function(names, columns, classes, numeric) {
    recipe <- if (length(classes) == 2) list(positive = classes[2], negative = classes[1]) else
        list(classes = as.list(classes))
    if (is.null(names)) names <- paste0("V", seq_len(columns))
    free <- setdiff(c("y", "target", "label", "class", "y_"), names)[1]
    inputs <- lapply(seq_along(names), function(k) {
        list(name = names[k], position = k - 1L, type = "number")
    })
    recipe <- c(recipe, list(named = TRUE, columns = columns + 1L, features = columns,
                             target = free, target_position = columns,
                             target_type = if (numeric) "number" else "text", inputs = inputs))
    as.character(toJSON(recipe, auto_unbox = TRUE))
}
