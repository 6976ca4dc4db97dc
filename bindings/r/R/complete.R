# Matrix completion: few cells of a matrix are known, and all of them are predicted.

gibbsite_complete <- function(row, column = NULL, value = NULL, ..., row_features = NULL,
                              column_features = NULL, ratings = TRUE, seed = NULL,
                              threads = NULL, progress = FALSE) {
    call <- match.call()
    cells <- cells_of(row, column, value)
    row_names <- unique(cells$row)
    column_names <- unique(cells$column)
    numbers <- list(match(cells$row, row_names), match(cells$column, column_names),
                    as.double(cells$value), NULL, NULL)
    of_rows <- features_of(row_features, row_names, "row")
    of_columns <- features_of(column_features, column_names, "column")
    row_names <- of_rows$names
    column_names <- of_columns$names
    numbers[4:5] <- list(of_rows$features, of_columns$features)
    if (!all(is.finite(numbers[[3]]))) refuse("a value is not a finite number", "data")
    given <- list(...)
    range <- given$range
    if (!is.null(range) && !(is.numeric(range) && length(range) == 2 && all(is.finite(range)) &&
                             range[1] < range[2]))
        refuse("range must be two numbers, the first below the second")
    seed <- seed_of(seed)
    bar <- progress_of(progress, environment())
    box <- native(.Call(C_complete, numbers, row_names, column_names, options_of(list(...)),
                        how(seed, threads, bar)))
    told <- list(call = call, seed = seed, threads = threads,
                 ratings = if (ratings) data.frame(cells, stringsAsFactors = FALSE))
    object <- tell_completion(told[!vapply(told, is.null, NA)], box)
    if (!isTRUE(object$info$converged))
        warning("the sweeps did not converge; see max_iter in gibbsite_options(\"complete\")",
                call. = FALSE)
    object
}

# Triples out of three vectors, a frame of three columns, a matrix whose known cells are not NA, or
# a sparse one of the package Matrix, whose known cells are those that it holds.
cells_of <- function(row, column, value) {
    if (!is.null(column)) {
        if (is.null(value)) refuse("triples are three vectors: row, column and value", "data")
        if (length(row) != length(column) || length(row) != length(value))
            refuse("row, column and value differ in length", "data")
    } else if (is.data.frame(row)) {
        if (ncol(row) < 3)
            refuse("a frame of ratings has three columns: row, column, value", "data")
        value <- row[[3]]
        column <- row[[2]]
        row <- row[[1]]
    } else if (is.matrix(row) && is.numeric(row)) {
        known <- which(!is.na(row), arr.ind = TRUE)
        names <- dimnames(row)
        value <- row[known]
        column <- if (is.null(names[[2]])) known[, 2] else names[[2]][known[, 2]]
        row <- if (is.null(names[[1]])) known[, 1] else names[[1]][known[, 1]]
    } else if (is_sparse(row <- plain_matrix(row))) {
        names <- dimnames(row)
        known <- list(row@i + 1L, sparse_columns(row))
        value <- row@x
        column <- if (is.null(names[[2]])) known[[2]] else names[[2]][known[[2]]]
        row <- if (is.null(names[[1]])) known[[1]] else names[[1]][known[[1]]]
    } else {
        refuse("expected three vectors, a frame of three columns, or a matrix with NA", "data")
    }
    if (!is.numeric(value)) refuse("the values must be numbers", "data")
    if (anyNA(row) || anyNA(column)) refuse("the name of a row or column is missing", "data")
    list(row = id_text(row), column = id_text(column), value = value)
}

# What is known of rows or columns: their names, those without ratings last, and a matrix with a
# column for each. A text or a factor is 0 and 1 for each level.
features_of <- function(known, names, what) {
    if (is.null(known)) return(list(names = names, features = NULL))
    if (is.matrix(known)) known <- as.data.frame(known, stringsAsFactors = TRUE)
    if (!is.data.frame(known) || ncol(known) < 1)
        refuse(sprintf("%s_features is a data frame or a matrix whose row names name %ss", what,
                       what), "data")
    ids <- enc2utf8(rownames(known))
    rated <- names %in% ids
    if (!any(rated))
        refuse(sprintf("%s_features: none of its names is that of a rated %s: it has '%s', %s '%s'",
                       what, what, ids[1], "the ratings have", names[1]), "data")
    if (!all(rated) || !all(ids %in% names))
        warning(sprintf("%d of %d rated %ss have no features, and %d of %d %ss with features %s",
                        sum(!rated), length(rated), what, sum(!ids %in% names), length(ids), what,
                        "have no ratings"), call. = FALSE)
    names <- c(names, setdiff(ids, names))
    numbers <- lapply(known, function(x) {
        if (is.numeric(x) || is.logical(x)) return(matrix(as.double(x)))
        x <- as.factor(x)
        outer(as.integer(x), seq_along(levels(x)), `==`) + 0
    })
    list(names = names, features = t(do.call(cbind, numbers)[match(names, ids), , drop = FALSE]))
}

tell_completion <- function(object, box) {
    object$info <- c(told_by(native(.Call(C_describe, box))),
                     .Call(C_completion_ids, box))
    object$handle <- keep_handle(box, native(.Call(C_to_json, box)))
    structure(object, class = "gibbsite_completion")
}

# The ratings that it was fitted to.
ratings_of <- function(object) {
    if (is.null(object$ratings))
        refuse("the ratings were not kept (ratings = FALSE, or a model of a file): see predict()")
    object$ratings
}

fitted.gibbsite_completion <- function(object, ...) {
    known <- ratings_of(object)
    predict(object, known$row, known$column)
}

residuals.gibbsite_completion <- function(object, type = "response", ...) {
    if (...length()) refuse("residuals() takes an object and type")
    if (!identical(type, "response")) refuse("residuals are of type \"response\" alone")
    ratings_of(object)$value - fitted(object)
}

nobs.gibbsite_completion <- function(object, ...) as.integer(object$info$n)

certificate.gibbsite_completion <- function(object, ...) {
    k <- object$info$certificate
    if (is.null(k)) refuse("there is no certificate: declare the range of the ratings", "data")
    structure(k, class = "gibbsite_certificate")
}

certificates.gibbsite_completion <- function(object, ...) {
    k <- certificate(object)
    number <- function(name) if (is.null(k[[name]])) NA_real_ else as.double(k[[name]])
    data.frame(target = k$target, loss = k$loss, method = k$method, value = k$value, rmse = k$rmse,
               mae = number("mae"), confidence = k$confidence, rows = as.integer(k$blocks),
               empirical = k$empirical, middle_rmse = number("middle_rmse"), status = k$status,
               stringsAsFactors = FALSE)
}

predict.gibbsite_completion <- function(object, row, column = NULL, sd = FALSE,
                                        quantiles = NULL, ...) {
    if (...length()) refuse("predict() takes an object, row, column, sd and quantiles")
    if (is.null(column)) {
        if (!is.data.frame(row) && !is.matrix(row)) refuse("predict() takes row and column", "data")
        if (ncol(row) < 2) refuse("predict() takes two columns: row and column", "data")
        column <- row[, 2]
        row <- row[, 1]
    }
    if (length(row) != length(column)) refuse("row and column differ in length", "data")
    row <- match(id_text(row), object$info$row_names)
    column <- match(id_text(column), object$info$column_names)
    made <- native(.Call(C_completion_predict, handle_of(object), row, column,
                         how(threads = object$threads)))
    if (!sd && is.null(quantiles)) return(made$value)
    told <- data.frame(value = made$value, sd = sqrt(made$sd^2 + made$noise))
    if (is.null(quantiles)) return(told)
    found <- native(.Call(C_completion_quantiles, handle_of(object), row, column,
                          as.double(quantiles), how(threads = object$threads)))
    told[paste0("q", quantiles)] <- matrix(found, nrow(told), length(quantiles), byrow = TRUE)
    told
}

# The n columns with the highest predictions among those that a row has not rated, best first.
gibbsite_top <- function(object, row, n = 10, quantile = NULL) {
    if (!inherits(object, "gibbsite_completion")) refuse("gibbsite_top() takes a completion")
    at <- match(id_text(row), object$info$row_names)
    if (length(at) != 1 || is.na(at)) refuse(sprintf("the model has no row '%s'", row[1]), "data")
    if (!is.numeric(n) || length(n) != 1 || is.na(n) || n < 1)
        refuse("n must be a whole number from 1")
    if (!is.null(quantile) && !(is.numeric(quantile) && length(quantile) == 1 &&
                                isTRUE(quantile > 0 && quantile < 1)))
        refuse("quantile must lie between 0 and 1")
    best <- native(.Call(C_completion_top, handle_of(object), at,
                         if (is.null(quantile)) 0 else as.double(quantile),
                         as.integer(min(n, length(object$info$column_names))),
                         how(threads = object$threads)))
    column <- object$info$column_names[best[best > 0]]
    told <- predict(object, rep(object$info$row_names[at], length(column)), column, sd = TRUE)
    data.frame(column = column, told, stringsAsFactors = FALSE)
}

print.gibbsite_completion <- function(x, ...) {
    cat("Call:\n")
    print(x$call)
    cat("\n")
    tell_ratings(x$info)
    if (!is.null(x$info$certificate)) writeLines(format(certificate(x)))
    invisible(x)
}

tell_ratings <- function(i) {
    cat(sprintf("%.0f ratings of %.0f rows and %.0f columns, model %s, rank %.0f of %.0f\n", i$n,
                i$rows, i$cols, i$model, i$effective_rank, i$rank))
    cat(sprintf("RMSE on them %.4g, standard deviation of the noise %.4g\n", i$rmse,
                sqrt(i$noise_variance)))
}

# A row for each component that is left, the largest first.
component_table <- function(object) {
    told <- object$info$components
    if (!length(told)) return(data.frame(component = integer()))
    data.frame(component = seq_along(told), frame_of(told))
}

summary.gibbsite_completion <- function(object, ...) {
    structure(list(call = object$call, info = object$info, components = component_table(object),
                   certificate = if (!is.null(object$info$certificate)) certificate(object)),
              class = "summary.gibbsite_completion")
}

print.summary.gibbsite_completion <- function(x, digits = 4, ...) {
    cat("Call:\n")
    print(x$call)
    cat("\n")
    tell_ratings(x$info)
    cat(sprintf("mean %.4g, lambda %.6g, free energy %.6g, %s after %.0f sweeps\n", x$info$mean,
                x$info$lambda, x$info$free_energy,
                if (isTRUE(x$info$converged)) "converged" else "NOT converged", x$info$sweeps))
    if (nrow(x$components)) {
        cat("\nComponents:\n")
        print(x$components, digits = digits, row.names = FALSE)
    }
    cat("\n")
    if (is.null(x$certificate)) cat("no certificate: declare the range of the ratings\n")
    else print(x$certificate)
    invisible(x)
}
