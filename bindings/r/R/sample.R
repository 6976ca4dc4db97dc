# Samples of the Gibbs posterior itself, and the gap of a fitted model to it.

gibbsite_sample <- function(x, ...) UseMethod("gibbsite_sample")

gibbsite_sample.formula <- function(formula, data = NULL, subset = NULL,
                                    na.action = getOption("na.action"), ..., contrasts = NULL,
                                    seed = NULL, threads = NULL, progress = FALSE) {
    call <- match.call()
    call[[1]] <- quote(gibbsite_sample)
    if (is.matrix(data)) data <- as.data.frame(data)
    rows <- formula_rows(formula, data, NULL,
                         eval(substitute(subset), data, environment(formula)), na.action,
                         contrasts = contrasts)
    labels <- labels_of(response_of(rows), many = FALSE)
    constant <- attr(rows$terms, "intercept") == 1
    given <- c(list(...), if (!constant) list("no-intercept" = TRUE))
    about <- list(call = call, seed = seed_of(seed), threads = threads, progress = progress)
    if (!is.null(rows$inputs) && any(is_texts(rows$raw[rows$inputs])))
        return(sample_table(rows, labels, given, about))
    about$design <- learn_design(rows$terms, rows$raw, contrasts)
    object <- sample_rows(design_matrix(about$design, rows$raw), labels, given, about,
                          rows$response, if (is.null(rows$inputs)) rows$terms)
    object$na.action <- rows$omitted
    object
}

# Through the library's recipe, which learns from all rows here: nothing is certified.
sample_table <- function(rows, labels, given, about) {
    x <- rows$raw[rows$inputs]
    texts <- is_texts(x)
    x[texts] <- lapply(x[texts], as.character)
    options <- options_of(given)
    columns <- options_of(list(target = free_target(x, rows$response),
                               positive = table_label(labels)[2]))
    made <- train_rows("sample", x, labels, c(options, columns), how(about$seed, about$threads))
    object <- list(columns = names(x), raw = TRUE, na.action = rows$omitted)
    sample_data(made$data, labels, options, c(about, object))
}

gibbsite_sample.default <- function(x, y, ..., intercept = TRUE, seed = NULL, threads = NULL,
                                    progress = FALSE) {
    call <- match.call()
    call[[1]] <- quote(gibbsite_sample)
    if (NROW(x) != NROW(y)) refuse(paste0(NROW(x), " rows, but ", NROW(y), " labels"), "data")
    x <- plain_matrix(x)
    if (!is_sparse(x)) x <- as_numbers(x)
    given <- c(list(...), if (!intercept) list("no-intercept" = TRUE))
    sample_rows(x, labels_of(y, many = FALSE), given,
                list(call = call, columns = colnames(x), seed = seed, threads = threads,
                     progress = progress))
}

# The posterior that a fitted model approximates, on the rows of its fit.
gibbsite_sample.gibbsite <- function(x, ..., seed = NULL, threads = NULL, progress = FALSE) {
    call <- match.call()
    call[[1]] <- quote(gibbsite_sample)
    if (length(x$labels$classes) > 2)
        refuse("a model of several classes is made of several posteriors: gap() samples each")
    seed <- seed_of(seed)
    bar <- progress_of(progress, environment())
    box <- native(.Call(C_sample, fitted_data(x), handle_of(x), 0L, options_of(list(...)),
                        how(seed, threads, bar)))
    tell_sample(list(call = call, labels = x$labels, columns = x$columns, design = x$design,
                     raw = x$raw, transformed = x$transformed, threads = threads, seed = seed),
                box)
}

sample_rows <- function(x, labels, given, about, response = NULL, transformed = NULL) {
    about$transformed <- if (!is.null(transformed)) TRUE
    about$seed <- seed_of(about$seed)
    recipe <- recipe_of(colnames(x), ncol(x), label_text(labels$values),
                        !is.character(labels$values), response, transformed)
    sample_data(data_of(x, labels), labels, options_of(given), about, recipe)
}

sample_data <- function(data, labels, options, about, recipe = NULL) {
    bar <- progress_of(about$progress, environment())
    box <- native(.Call(C_sample, data, NULL, 0L, options, how(about$seed, about$threads, bar)))
    if (!is.null(recipe)) native(.Call(C_sample_set_recipe, box, recipe))
    about$progress <- NULL
    about$labels <- labels[c("classes", "values", "levels", "ordered")]
    tell_sample(about, box)
}

tell_sample <- function(object, box) {
    object$info <- told_by(native(.Call(C_describe, box)))
    object$points <- object$info$path
    object$path <- frame_of(object$points)
    object$draws <- t(.Call(C_sample_draws, box))
    object$info$path <- NULL
    object$handle <- keep_handle(box, native(.Call(C_to_json, box)))
    structure(object, class = "gibbsite_sample")
}

# Points as the rows of a frame; NA for what is not a number.
frame_of <- function(points) {
    names <- names(points[[1]])
    columns <- lapply(names, function(name) {
        vapply(points, function(p) if (is.null(p[[name]])) NA_real_ else as.double(p[[name]]), 0)
    })
    as.data.frame(structure(columns, names = names))
}

nobs.gibbsite_sample <- function(object, ...) as.integer(object$info$n)

# The probability of a sample is the share of its votes.
predict.gibbsite_sample <- function(object, newdata,
                                    type = c("class", "prob", "vote", "score", "response"), ...) {
    if (...length()) refuse("predict() takes an object, newdata and type")
    type <- match.arg(type)
    if (type %in% c("prob", "response")) type <- "vote"
    rows <- rows_to_predict(object, newdata)
    made <- native(.Call(C_sample_predict, handle_of(object), rows$data,
                         how(threads = object$threads)))
    if (type != "class") return(spread(made[[type]], rows))
    value <- spread(ifelse(made$vote >= 0.5, 2, 1), rows)
    structure(as_labels(value, object$labels), names = names(value))
}

# Means over the particles, of the scaled columns, as those of coef(summary()) of a fit.
coef.gibbsite_sample <- function(object, ...) {
    table <- coefficient_table(object)
    structure(table[, "mean"], names = rownames(table))
}

plot.gibbsite_sample <- function(x, which = c("coefficients", "path"), ...) {
    which <- match.arg(which)
    if (which == "coefficients") plot_coefficients(x, ...) else {
        plot(x$path$lambda, x$path$gibbs_risk, type = "b", pch = 19, xlab = "lambda",
             ylab = "risk of the posterior", main = "Path", ...)
        segments(x$path$lambda, x$path$gibbs_risk - 2 * x$path$gibbs_risk_sd, x$path$lambda,
                 x$path$gibbs_risk + 2 * x$path$gibbs_risk_sd)
    }
    invisible(x)
}

print.gibbsite_sample <- function(x, ...) {
    cat("Call:\n")
    print(x$call)
    i <- x$info
    cat(sprintf("\n%.0f particles of the Gibbs posterior, loss %s, lambda %.6g, prior sd %.4g\n",
                i$particles, i$loss, i$lambda, i$prior_sd))
    cat(sprintf("log Z %.6g (sd %s%.2g), mean loss %.4g, error of the vote %.4g\n", i$log_z,
                if (i$log_z_sd_at_least) "at least " else "", i$log_z_sd, i$gibbs_risk,
                i$train_error))
    invisible(x)
}

# ---------------------------------------------------------------- gap

# The rows of a fit as it had them.
fitted_data <- function(object) {
    if (is.null(object$model))
        refuse("the rows of the fit were not kept (model = FALSE)")
    labels <- same_labels(object, fitted_labels(object))
    if (isTRUE(object$raw)) return(trained_data(object, labels))
    x <- if (is.null(object$design)) object$model$x else
        design_matrix(object$design, object$model)
    data <- data_of(x, labels)
    if (!is.null(object$weights)) native(.Call(C_weights, data, as.double(object$weights)))
    if (!is.null(object$groups))
        native(.Call(C_groups, data, match(object$groups, unique(object$groups))))
    if (!is.null(object$learned)) native(.Call(C_set_split, data, object$learned))
    data
}

# The same through the recipe, which learns what it did.
trained_data <- function(object, labels) {
    x <- if (is.null(object$terms)) object$model$x else object$model[object$columns]
    if (!is.null(object$terms)) {
        texts <- is_texts(x)
        x[texts] <- lapply(x[texts], as.character)
    }
    train_rows("fit", x, labels, object$options, how(object$seed, object$threads), object$weights,
               object$groups)$data
}

same_labels <- function(object, y)
    labels_of(y, if (length(object$labels$classes) == 2) object$labels$values[2])

gap <- function(object, sample = NULL, ...) {
    if (!inherits(object, "gibbsite")) refuse("gap() takes a fit of gibbsite() or gibbsite_rank()")
    if (length(object$labels$classes) > 2) {
        if (!is.null(sample)) refuse("of several classes gap() draws the samples itself")
        return(gaps_of(object, ...))
    }
    if (!is.null(sample) && !inherits(sample, "gibbsite_sample"))
        refuse("sample: expected one of gibbsite_sample(); the rows are those of the fit")
    if (is.null(sample)) sample <- gibbsite_sample(object, ...)
    found <- native(.Call(C_gap, fitted_data(object), handle_of(object), 0L, handle_of(sample)))
    structure(c(found, list(log_z = sample$info$log_z, log_z_sd = sample$info$log_z_sd)),
              class = "gibbsite_gap")
}

# Three classes or more: a row for each binary problem.
gaps_of <- function(object, ..., seed = NULL, threads = NULL, progress = FALSE) {
    data <- fitted_data(object)
    handle <- handle_of(object)
    seed <- seed_of(seed)
    bar <- progress_of(progress, environment())
    rows <- lapply(.Call(C_problems, handle), function(p) {
        box <- native(.Call(C_sample, data, handle, p[1], options_of(list(...)),
                            how(seed, threads, bar)))
        info <- told_by(native(.Call(C_describe, box)))
        found <- native(.Call(C_gap, data, handle, p[1], box))
        data.frame(class = object$labels$classes[p[2] + 1L],
                   against = object$labels$classes[p[3] + 1L], lambda = info$lambda,
                   log_z = info$log_z, log_z_sd = info$log_z_sd,
                   found[c("free_energy", "gap", "gap_sd", "gap_sd_at_least", "gap_over_lambda")])
    })
    do.call(rbind, rows)
}

print.gibbsite_gap <- function(x, ...) {
    cat(sprintf("KL(model || Gibbs posterior) = free energy + log Z = %.6g + %.6g = %.4g nats\n",
                x$free_energy, x$log_z, x$gap))
    cat(sprintf("standard error %s%.2g; over lambda %.4g\n",
                if (x$gap_sd_at_least != 0) "at least " else "", x$gap_sd, x$gap_over_lambda))
    invisible(x)
}
