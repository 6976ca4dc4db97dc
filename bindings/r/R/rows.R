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
    if (is.numeric(values)) return(number_text(values))
    as.character(values)
}

# Numbers as the command line writes them, and Python: 100000, where R has 1e+05; others in the
# fewest digits that are read back as they were.
number_text <- function(values) {
    vapply(as.double(values), function(v) {
        if (is.finite(v) && v == floor(v) && abs(v) < 1e15) return(sprintf("%.0f", v + 0))
        for (digits in 15:17) {
            text <- format(v, digits = digits)
            if (is.na(v) || as.double(text) == v) break
        }
        text
    }, "", USE.NAMES = FALSE)
}

# What rows and columns of ratings are called.
id_text <- function(x) {
    if (is.double(x) && !is.object(x)) {
        known <- unique(x[!is.na(x)])
        return(number_text(known)[match(x, known)])
    }
    enc2utf8(as.character(x))
}

# ---------------------------------------------------------------- data

is_sparse <- function(x) isS4(x) && inherits(x, "dgCMatrix")

# A matrix of the package Matrix, of whatever kind, as a dgCMatrix, or as R's own where it is dense.
plain_matrix <- function(x) {
    if (!isS4(x) || is_sparse(x)) return(x)
    loadNamespace("Matrix")
    if (inherits(x, "sparseMatrix"))
        methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    else if (inherits(x, "Matrix")) as.matrix(x)
    else x
}

# The column of each number that a dgCMatrix holds.
sparse_columns <- function(x) rep.int(seq_len(ncol(x)), diff(x@p))

# A frame that the library's own recipe is to read: texts, or missing cells, which rows to come may
# have where those of the fit have none.
is_raw <- function(x, missing = "error") {
    is.data.frame(x) && (missing != "error" || anyNA(x) || !is_numbers(x))
}

is_numbers <- function(x) all(vapply(x, function(v) is.numeric(v) || is.logical(v), NA))

# Rows whose missing cells are to be dropped or filled are a frame.
framed <- function(x, missing) {
    check_missing(missing)
    if (is.matrix(x) && is.numeric(x) && missing != "error") x <- as.data.frame(x)
    twice <- anyDuplicated(colnames(x))
    if (twice) refuse(paste0("two columns are called '", colnames(x)[twice], "'"), "data")
    x
}

check_missing <- function(missing) {
    if (!is.character(missing) || length(missing) != 1 ||
            !missing %in% c("error", "drop", "impute"))
        refuse("missing: expected error, drop or impute")
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
        refuse("x must be a matrix of numbers, a data frame, or a matrix of the package Matrix",
               "data")
    storage.mode(x) <- "double"
    x
}

check_finite <- function(x) {
    if (is_sparse(x)) {
        k <- which(!is.finite(x@x))[1]
        bad <- if (!is.na(k)) cbind(x@i[k] + 1L, sparse_columns(x)[k])
    } else {
        bad <- if (!all(is.finite(x))) which(!is.finite(x), arr.ind = TRUE)
    }
    if (length(bad)) {
        column <- colnames(x)[bad[1, 2]]
        if (is.null(column)) column <- bad[1, 2]
        refuse(paste0("row ", bad[1, 1], ", column ", column, ": ", x[bad[1, 1], bad[1, 2]]),
               "data")
    }
}

# Rows, with their labels or without.
data_of <- function(x, labels = NULL) {
    check_finite(x)
    if (is_sparse(x)) {
        data <- sparse_data(x, labels$sign)
    } else {
        # a fit goes through the rows many times, and is fastest if each is in one place
        turned <- !is.null(labels)
        data <- native(.Call(C_dense, if (turned) t(x) else x, turned, labels$sign))
    }
    if (length(labels$classes) > 2)
        native(.Call(C_classes, data, labels$number - 1L, length(labels$classes)))
    data
}

# R keeps sparse matrices by columns, the library by rows.
sparse_data <- function(x, sign) {
    column <- sparse_columns(x) - 1L
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
        if (known == "text" && (is.logical(v) || all(is.na(v)))) v <- as.character(v)
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
# that was fitted to a matrix. `formula`: its terms, where its columns are not those of raw rows.
recipe_of <- function(names, columns, classes, numeric, response = NULL, formula = NULL) {
    recipe <- if (length(classes) == 2) list(positive = classes[2], negative = classes[1]) else
        list(classes = as.list(classes))
    if (is.null(names)) names <- paste0("V", seq_len(columns))
    free <- setdiff(c(response, "y", "target", "label", "class", "y_"), names)[1]
    if (!is.null(formula))
        recipe$formula <- paste(trimws(deparse(formula(formula))), collapse = " ")
    inputs <- lapply(seq_along(names), function(k) {
        list(name = names[k], position = k - 1L, type = "number")
    })
    recipe <- c(recipe, list(named = TRUE, columns = columns + 1L, features = columns,
                             target = free, target_position = columns,
                             target_type = if (numeric) "number" else "text", inputs = inputs))
    as.character(toJSON(recipe, auto_unbox = TRUE))
}
