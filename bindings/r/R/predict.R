# Predictions of classifiers and rankers.

# A handle on rows to predict, which rows it has, and their names.
rows_to_predict <- function(object, newdata) {
    if (!is.null(object$design)) {
        here <- c(names(newdata), colnames(newdata))
        gone <- setdiff(intersect(all.vars(delete.response(object$design$terms)), object$variables),
                        here)
        if (length(gone)) refuse(paste0("there is no variable '", gone[1], "' in newdata"), "data")
        if (!is.data.frame(newdata)) newdata <- as.data.frame(newdata)
        x <- design_matrix(object$design, newdata)
        tell_unseen(attr(x, "unseen"))
    } else if (isTRUE(object$raw)) {
        return(raw_to_predict(object, newdata))
    } else if (is_sparse(newdata <- plain_matrix(newdata))) {
        x <- by_name(object, newdata)
        rows <- setdiff(seq_len(nrow(x)), x@i[is.na(x@x)] + 1L)
        if (length(rows) < nrow(x)) x <- x[rows, , drop = FALSE]
        return(list(data = if (length(rows)) data_of(x), rows = rows, n = nrow(newdata),
                    names = rownames(newdata)))
    } else {
        x <- as_numbers(by_name(object, newdata))
    }
    rows <- if (anyNA(x)) which(rowSums(is.na(x)) == 0) else seq_len(nrow(x))
    list(data = if (length(rows)) data_of(if (length(rows) < nrow(x)) x[rows, , drop = FALSE]
                                          else x),
         rows = rows, n = nrow(x), names = rownames(x))
}

# Columns found by their names where both sides have some.
by_name <- function(object, x) {
    wanted <- object$columns
    if (is.null(wanted) || is.null(colnames(x))) return(x)
    gone <- setdiff(wanted, colnames(x))
    if (length(gone)) refuse(paste0("there is no column '", gone[1], "'"), "data")
    if (identical(wanted, colnames(x))) x else x[, wanted, drop = FALSE]
}

raw_to_predict <- function(object, newdata) {
    recipe <- recipe_in(object)
    types <- lapply(recipe$inputs, function(k) k$type)
    names(types) <- vapply(recipe$inputs, function(k) k$name, "")
    newdata <- plain_matrix(newdata)
    if (is_sparse(newdata)) newdata <- as.matrix(newdata)
    if (is.matrix(newdata) && !"text" %in% types) newdata <- as.data.frame(newdata)
    if (!is.data.frame(newdata))
        refuse("this model was fitted to a data frame with texts; predictions need one too",
               "data")
    wanted <- by_name(object, newdata)
    if (nrow(newdata) == 0) return(list(data = NULL, rows = integer(), n = 0L, names = character()))
    wanted <- wanted[intersect(names(wanted), names(types))]
    filled <- !all(vapply(recipe$inputs, function(k) is.null(k$fill), NA))
    if (!filled && !any(complete.cases(wanted)))
        return(list(data = NULL, rows = integer(), n = nrow(newdata), names = row.names(newdata)))
    missing <- if (filled) "impute" else "drop"
    made <- native(.Call(C_apply, handle_of(object), table_columns(wanted, types),
                         enc2utf8(names(wanted)), list(missing = missing)))
    tell_levels(made)
    list(data = made$data, rows = made$rows, n = nrow(newdata), names = row.names(newdata))
}

# Values of the rows that have some, NA elsewhere.
spread <- function(values, rows) {
    all_rows <- rep(NA_real_, rows$n)
    all_rows[rows$rows] <- values
    names(all_rows) <- rows$names
    all_rows
}

predict.gibbsite <- function(object, newdata = NULL,
                             type = c("class", "prob", "score", "vote", "response"), ...) {
    if (...length()) refuse("predict() takes an object, newdata and type")
    ranks <- object$task == "rank"
    type <- if (ranks && missing(type)) "score" else match.arg(type)
    if (type == "response" && !ranks) type <- "prob" # as glm() calls it
    if (ranks && type %in% c("class", "vote", "response"))
        refuse("a ranker gives scores, no labels: see type = \"score\" and \"prob\"")
    fitted <- is.null(newdata)
    if (fitted) newdata <- fitted_rows(object)
    rows <- rows_to_predict(object, newdata)
    pad <- function(value) {
        if (fitted && !is.null(object$na.action)) naresid(object$na.action, value) else value
    }
    if (length(object$labels$classes) > 2) return(predict_many(object, rows, type, pad))
    made <- list(label = numeric(), prob = numeric(), score = numeric(), vote = numeric())
    if (!is.null(rows$data))
        made <- if (ranks) native(.Call(C_predict, handle_of(object), rows$data,
                                        how(threads = object$threads)))
                else native(.Call(C_classify, handle_of(object), rows$data,
                                  how(threads = object$threads)))
    value <- pad(spread(made[[if (type == "class") "label" else type]], rows))
    if (type != "class") return(value)
    structure(as_labels(1L + (value > 0), object$labels), names = names(value))
}

# Three classes or more: labels, or a matrix with a column for each class.
predict_many <- function(object, rows, type, pad) {
    if (!type %in% c("class", "prob"))
        refuse("a model of several classes has labels and probabilities: no score, no vote")
    theirs <- match(label_text(object$labels$values), unlist(object$info$classes))
    made <- list(number = integer(), prob = matrix(0, length(theirs), 0))
    if (!is.null(rows$data))
        made <- native(.Call(C_classify_many, handle_of(object), rows$data,
                             how(threads = object$threads)))
    if (type == "class") {
        value <- pad(spread(match(made$number, theirs), rows))
        return(structure(as_labels(value, object$labels), names = names(value)))
    }
    columns <- lapply(theirs, function(k) { # NA: a level that no row of the fit had
        pad(spread(if (is.na(k)) 0 else made$prob[k, ], rows))
    })
    structure(do.call(cbind, columns),
              dimnames = list(names(columns[[1]]), object$labels$classes))
}

# The rows of the fit as newdata.
fitted_rows <- function(object) {
    if (is.null(object$model))
        refuse("the rows of the fit were not kept (model = FALSE): give newdata")
    if (is.null(object$terms)) object$model$x else object$model
}

fitted_labels <- function(object) {
    if (is.null(object$terms)) return(object$model$y)
    response_of(list(terms = object$terms, raw = object$model))
}

fitted.gibbsite <- function(object, ...) {
    predict(object, type = "prob")
}

# The response less its probability; of three classes or more a column for each.
residuals.gibbsite <- function(object, type = "response", ...) {
    if (...length()) refuse("residuals() takes an object and type")
    if (!identical(type, "response")) refuse("residuals are of type \"response\" alone")
    if (object$task == "rank")
        refuse("a ranker orders rows, and has no residuals: see predict() and certificates()")
    if (is.null(object$model)) refuse("the rows of the fit were not kept: there are no residuals")
    p <- fitted(object)
    y <- fitted_labels(object)
    is <- same_labels(object, y)$number
    pad <- function(value)
        if (is.null(object$na.action)) value else naresid(object$na.action, value)
    if (!is.matrix(p)) return(pad((is == 2) + 0) - p)
    for (k in seq_len(ncol(p))) p[, k] <- pad((is == k) + 0) - p[, k]
    p
}
