# tidy(), glance() and augment(), registered for the package generics where it is there.

tidy.gibbsite_completion <- function(x, ...) component_table(x)

glance.gibbsite_completion <- function(x, ...) {
    i <- x$info
    k <- i$certificate
    number <- function(value) if (is.null(value)) NA_real_ else as.double(value)
    data.frame(certificate = number(k$rmse), confidence = number(k$confidence),
               status = if (is.null(k)) NA_character_ else k$status, rmse = i$rmse,
               sigma = sqrt(i$noise_variance), model = i$model, rank = as.integer(i$rank),
               effective.rank = as.integer(i$effective_rank), rows = as.integer(i$rows),
               columns = as.integer(i$cols), converged = isTRUE(i$converged), nobs = nobs(x),
               stringsAsFactors = FALSE)
}

tidy.gibbsite_sample <- function(x, ...) tidy.gibbsite(x)

tidy.gibbsite <- function(x, ...) {
    table <- coefficient_table(x)
    data.frame(term = rownames(table), estimate = unname(table[, "mean"]),
               posterior.sd = unname(table[, "sd"]), stringsAsFactors = FALSE)
}

glance.gibbsite <- function(x, ...) {
    k <- certificate(x)
    baseline <- x$info$baseline$error
    data.frame(certificate = k$value, confidence = k$confidence, status = k$status,
               target = k$target, empirical = k$empirical,
               baseline = if (is.null(baseline)) NA_real_ else baseline, loss = x$info$loss,
               family = x$info$family, lambda = x$info$lambda, kl = x$info$kl,
               converged = isTRUE(x$info$converged), nobs = nobs(x), stringsAsFactors = FALSE)
}

augment.gibbsite <- function(x, data = NULL, newdata = NULL, ...) {
    rows <- if (!is.null(newdata)) newdata else if (!is.null(data)) data else fitted_rows(x)
    if (!is.data.frame(rows)) rows <- as.data.frame(as.matrix(rows))
    if (length(x$labels$classes) > 2) { # as other packages name them: .prob_CLASS
        rows$.class <- unname(predict(x, rows))
        p <- predict(x, rows, "prob")
        rows[paste0(".prob_", colnames(p))] <- as.data.frame(unname(p))
        return(rows)
    }
    types <- if (x$task == "rank") c(.score = "score", .prob = "prob") else
        c(.class = "class", .prob = "prob", .score = "score")
    for (name in names(types)) rows[[name]] <- unname(predict(x, rows, types[[name]]))
    rows
}
