# What R's generics ask of a fitted model.

nobs.gibbsite <- function(object, ...) as.integer(object$info$n)

formula.gibbsite <- function(x, ...) {
    if (is.null(x$terms)) refuse("this model was fitted to a matrix or a frame: it has no formula")
    formula(x$terms)
}

# Posterior means and standard deviations; of three classes or more, those of each binary problem.
coefficient_table <- function(object) {
    parts <- object$info$parts
    if (is.null(object$info$coefficients) && length(parts)) {
        tables <- lapply(parts, function(p) coefficient_table(list(info = p, made = object$made)))
        names <- vapply(parts, part_name, "")
        value <- do.call(rbind, tables)
        rownames(value) <- paste0(rep(names, vapply(tables, nrow, 0L)), "/", rownames(value))
        return(value)
    }
    told <- object$info$coefficients
    value <- cbind(mean = vapply(told, function(k) as.double(k$mean), 0),
                   sd = vapply(told, function(k) as.double(k$sd), 0))
    names <- vapply(told, function(k) k$name, "")
    ours <- names != "(intercept)" # a formula's columns are called as R does it
    if (length(object$made) == sum(ours)) names[ours] <- object$made
    rownames(value) <- names
    value
}

# "setosa", or "setosa:virginica": what a binary problem tells apart.
part_name <- function(part) paste(c(part$class, part$against), collapse = ":")

coef.gibbsite <- function(object, standard = FALSE, ...) {
    if (!standard && length(object$labels$classes) > 2)
        refuse("a model of several classes has no one score: see coef(summary(object))")
    if (standard) {
        value <- coefficient_table(object)
        return(structure(value[, "mean"], names = rownames(value)))
    }
    value <- native(.Call(C_linear, handle_of(object)))
    names <- object$columns
    if (is.null(names) || isTRUE(object$raw)) names <- recipe_names(object, length(value) - 1L)
    if (length(object$made) == length(value) - 1L) names <- object$made
    structure(value, names = c("(Intercept)", names))
}

# Names of the columns that the recipe makes: those of the coefficients, as far as there are any.
recipe_names <- function(object, count) {
    told <- vapply(object$info$coefficients, function(k) k$name, "")
    told <- told[told != "(intercept)"]
    if (length(told) == count) told else paste0("V", seq_len(count))
}

# The columns that coef() has numbers for: the score is model.matrix(object) %*% coef(object).
model.matrix.gibbsite <- function(object, ...) {
    if (is.null(object$terms))
        refuse("this model was fitted to a matrix or a frame: it has no formula")
    x <- if (is.null(object$design)) recipe_matrix(recipe_in(object), fitted_rows(object)) else
        design_matrix(object$design, fitted_rows(object))
    attr(x, "unseen") <- NULL
    cbind("(Intercept)" = rep(1, nrow(x)), x)
}

confint.gibbsite <- function(object, parm, level = 0.95, ...) {
    refuse(paste("a Gibbs posterior is made of a loss, not of a likelihood: the spread of its",
                 "coefficients is no confidence interval of a true parameter. What is certified",
                 "is the risk of the predictions: see certificate(). The posterior's own spread is",
                 "in coef(summary(object))"))
}

# ---------------------------------------------------------------- print, summary

print.gibbsite <- function(x, ...) {
    cat("Call:\n")
    print(x$call)
    cat("\n")
    writeLines(format(certificate(x)))
    if (!is.null(x$info$baseline))
        writeLines(strwrap(sprintf("Always saying %s is wrong in %.2f %% of these rows.",
                                   x$info$baseline$label, 100 * x$info$baseline$error), 80))
    cat(sprintf("%d rows, %d coefficients, loss %s, family %s\n", nobs(x), x$info$d, x$info$loss,
                x$info$family))
    if (length(x$na.action)) cat(naprint(x$na.action), "\n", sep = "")
    invisible(x)
}

summary.gibbsite <- function(object, ...) {
    table <- coefficient_table(object)
    structure(list(call = object$call, certificate = certificate(object),
                   certificates = certificates(object), baseline = object$info$baseline,
                   card = object$info$card, info = object$info, classes = object$labels$classes,
                   na.action = object$na.action,
                   coefficients = table),
              class = "summary.gibbsite")
}

confusion_of <- function(x) {
    k <- x$card$confusion
    said <- unlist(x$info$classes)
    if (!is.null(k$true_positive))
        return(matrix(c(k$true_negative, k$false_negative, k$false_positive, k$true_positive), 2,
                      dimnames = list(truth = x$classes, predicted = x$classes)))
    counts <- do.call(rbind, lapply(k, unlist))
    dimnames(counts) <- list(truth = c(said, "(other)")[seq_len(nrow(counts))], predicted = said)
    counts[rowSums(counts) > 0 | rownames(counts) != "(other)", , drop = FALSE]
}

print.summary.gibbsite <- function(x, digits = 4, ...) {
    cat("Call:\n")
    print(x$call)
    cat("\n")
    print(x$certificate)
    cat("\nCertificates; each holds by itself, the first was chosen in advance:\n")
    print(x$certificates, digits = digits, row.names = FALSE)
    if (!is.null(x$card$confusion)) {
        cat("\nOn the rows that tested it:\n")
        print(confusion_of(x))
    }
    cat("\nCoefficients of the scaled columns:\n")
    order <- order(-abs(x$coefficients[, "mean"]))
    shown <- x$coefficients[utils::head(order, 20), , drop = FALSE]
    print(shown, digits = digits)
    if (length(order) > 20) cat("and", length(order) - 20, "more\n")
    cat(sprintf("\nlambda %.6g, prior sd %.4g, free energy %.6g, KL %.4g, %s after %d iterations\n",
                x$info$lambda, x$info$prior_sd, x$info$free_energy, x$info$kl,
                if (isTRUE(x$info$converged)) "converged" else "NOT converged",
                x$info$iterations))
    if (length(x$na.action)) cat(naprint(x$na.action), "\n", sep = "")
    invisible(x)
}
