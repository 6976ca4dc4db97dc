# Fitting: gibbsite(), gibbsite_rank(), and what they share.

gibbsite <- function(x, ...) UseMethod("gibbsite")

gibbsite_rank <- function(x, ...) UseMethod("gibbsite_rank")

# A ranking compares rows in pairs: what the library has of rows for classifiers alone. Looked for
# in the call, because a name of a column cannot be evaluated.
check_rank <- function(call) {
    given <- intersect(names(call), c("weights", "groups", "cost"))
    if (length(given))
        refuse(paste0("`", given[1], "` is not an argument here: a ranking compares rows in pairs, ",
                      "and has no weights, groups or costs of rows"))
}

# ---------------------------------------------------------------- formulas

gibbsite.formula <- function(formula, data = NULL, weights = NULL, subset = NULL,
                             na.action = getOption("na.action"), ..., missing = "error",
                             contrasts = NULL, cost = NULL, groups = NULL, positive = NULL,
                             looked = NULL, start = NULL, model = TRUE, seed = NULL,
                             threads = NULL, progress = FALSE) {
    call <- match.call()
    call[[1]] <- quote(gibbsite)
    if (is.matrix(data)) data <- as.data.frame(data)
    rows <- formula_rows(formula, data, eval(substitute(weights), data, environment(formula)),
                         eval(substitute(subset), data, environment(formula)), na.action,
                         eval(substitute(groups), data, environment(formula)), missing, contrasts)
    fit_formula("classify", rows, list(...), contrasts, positive, looked, model,
                list(call = call, cost = cost, start = start, seed = seed, threads = threads,
                     progress = progress))
}

gibbsite_rank.formula <- function(formula, data = NULL, subset = NULL,
                                  na.action = getOption("na.action"), ..., missing = "error",
                                  contrasts = NULL, positive = NULL, looked = NULL, start = NULL,
                                  model = TRUE, seed = NULL, threads = NULL, progress = FALSE) {
    call <- match.call()
    call[[1]] <- quote(gibbsite_rank)
    check_rank(call)
    if (is.matrix(data)) data <- as.data.frame(data)
    rows <- formula_rows(formula, data, NULL,
                         eval(substitute(subset), data, environment(formula)), na.action,
                         missing = missing, contrasts = contrasts)
    fit_formula("rank", rows, list(...), contrasts, positive, looked, model,
                list(call = call, start = start, seed = seed, threads = threads,
                     progress = progress))
}

fit_formula <- function(task, rows, given, contrasts, positive, looked, model, about) {
    labels <- labels_of(response_of(rows), positive, task == "classify")
    constant <- task != "classify" || attr(rows$terms, "intercept") == 1
    given <- c(given, if (!constant) list("no-intercept" = TRUE),
               pair_of_costs(about$cost, labels))
    check_lengths(rows$weights, rows$groups, nrow(rows$raw))
    about$seed <- seed_of(about$seed)
    how <- how(about$seed, about$threads)
    options <- options_of(given, task)
    x <- formula_inputs(rows, labels, options, how)
    fit <- if (is.null(x)) fit_design(task, rows, labels, options, contrasts, looked, about, how)
           else fit_table(task, x, labels,
                          table_options(given, task, labels, free_target(x, rows$response),
                                        rows$missing), looked, about, how,
                          rows$weights, rows$groups)
    object <- fit$object
    object$groups <- rows$groups
    object$variables <- rows$variables
    object$na.action <- rows$omitted
    if (model) object$model <- rows$raw
    object <- finish_fit(object, labels, fit$names, length(fit$names), rows$weights,
                         rows$response, if (is.null(rows$inputs)) rows$terms)
    if (!is.null(x)) {
        object$terms <- rows$terms
        recipe <- recipe_in(object)
        object$xlevels <- recipe_levels(recipe)
        object$made <- design_names(recipe)
    }
    object
}

# By the design matrix of the formula.
fit_design <- function(task, rows, labels, options, contrasts, looked, about, how) {
    made <- learn_rows(rows, labels, options, contrasts, how)
    x <- made$x
    if (ncol(x) == 0)
        refuse("the formula has no columns but the intercept: there is nothing to learn from",
               "data")
    tell_unseen(attr(x, "unseen"))
    data <- data_of(x, labels)
    if (!is.null(made$learned)) native(.Call(C_set_split, data, made$learned))
    about$groups <- rows$groups
    object <- fit_data(task, data, options, c(looked, made$looked), rows$weights, labels, about)
    object$design <- made$design
    object$terms <- made$design$terms
    object$xlevels <- made$design$xlevels
    object$learned <- made$learned
    list(object = object, names = colnames(x))
}

# By a table, whose recipe the library learns. The data has the weights and groups then.
fit_table <- function(task, x, labels, options, looked, about, how, weights, groups) {
    made <- train_rows("fit", x, labels, options, how, weights, groups)
    about$groups <- NULL
    about$table <- TRUE
    object <- fit_data(task, made$data, options, looked, NULL, labels, about)
    object$raw <- TRUE
    object$missing <- options$missing
    list(object = object, names = names(x))
}

# Rows that the library can draw a split of, before there is a design.
prints_of <- function(rows, labels) {
    variables <- all.vars(delete.response(rows$terms))
    prints <- data_of(fingerprint(rows$raw[intersect(variables, names(rows$raw))]), labels)
    if (!is.null(rows$weights)) native(.Call(C_weights, prints, as.double(rows$weights)))
    if (!is.null(rows$groups))
        native(.Call(C_groups, prints, match(rows$groups, unique(rows$groups))))
    prints
}

# The design matrix of a formula's rows, which of them are learned from (NULL: the library draws
# them by the design itself), and whether columns were looked at.
learn_rows <- function(rows, labels, options, contrasts, how) {
    if (row_by_row(rows$terms, rows$raw)) {
        design <- learn_design(rows$terms, rows$raw, contrasts)
        return(list(design = design, x = design_matrix(design, rows$raw)))
    }
    learned <- native(.Call(C_split, prints_of(rows, labels), options, how))
    design <- learn_design(rows$terms, rows$raw[learned, , drop = FALSE], contrasts)
    looked <- all(learned) || !apart(design$terms, rows$raw, learned)
    if (looked) {
        message("the formula learns from rows that are to certify: the certificate is conditional")
        design <- learn_design(rows$terms, rows$raw, contrasts) # then from all, as glm() does
    }
    list(design = design, x = design_matrix(design, rows$raw),
         learned = if (!all(learned)) learned, looked = if (looked) "columns")
}

# ---------------------------------------------------------------- matrices and frames

gibbsite.default <- function(x, y, weights = NULL, ..., intercept = TRUE, missing = "error",
                             cost = NULL, groups = NULL, positive = NULL, looked = NULL,
                             start = NULL, model = TRUE, seed = NULL, threads = NULL,
                             progress = FALSE) {
    if (missing(x)) return(as_formula_call(match.call(), gibbsite.formula, parent.frame()))
    call <- match.call()
    call[[1]] <- quote(gibbsite)
    fit_rows("classify", x, y, weights, c(list(...), if (!intercept) list("no-intercept" = TRUE)),
             missing, positive, looked, model,
             list(call = call, cost = cost, groups = groups, start = start, seed = seed,
                  threads = threads, progress = progress))
}

gibbsite_rank.default <- function(x, y, ..., missing = "error", positive = NULL, looked = NULL,
                                  start = NULL, model = TRUE, seed = NULL, threads = NULL,
                                  progress = FALSE) {
    if (missing(x)) return(as_formula_call(match.call(), gibbsite_rank.formula, parent.frame()))
    call <- match.call()
    call[[1]] <- quote(gibbsite_rank)
    check_rank(call)
    fit_rows("rank", x, y, NULL, list(...), missing, positive, looked, model,
             list(call = call, start = start, seed = seed, threads = threads, progress = progress))
}

# gibbsite(data = d, formula = f): the frame comes first, and R looks at that.
as_formula_call <- function(call, method, envir) {
    if (is.null(call$formula)) refuse("there are no rows: give a formula and data, or x and y")
    call[[1]] <- method
    eval(call, envir)
}

fit_rows <- function(task, x, y, weights, given, missing, positive, looked, model, about) {
    if (inherits(y, "formula")) refuse("the formula comes before the data: (y ~ a + b, data)")
    if (NROW(x) != NROW(y)) refuse(paste0(NROW(x), " rows, but ", NROW(y), " labels"), "data")
    labels <- labels_of(y, positive, task == "classify")
    check_lengths(weights, about$groups, NROW(x))
    about$seed <- seed_of(about$seed)
    x <- framed(plain_matrix(x), missing)
    given <- c(given, pair_of_costs(about$cost, labels))
    if (is_raw(x, missing)) {
        options <- table_options(given, task, labels, free_target(x), missing)
        object <- fit_table(task, x, labels, options, looked, about,
                            how(about$seed, about$threads), weights, about$groups)$object
    } else {
        if (!is_sparse(x)) x <- as_numbers(x)
        object <- fit_data(task, data_of(x, labels), options_of(given, task), looked, weights,
                           labels, about)
    }
    object$groups <- about$groups
    if (model) object$model <- list(x = x, y = y)
    finish_fit(object, labels, colnames(x), ncol(x), weights)
}

# ---------------------------------------------------------------- both

# A matrix cost[is, said] in the order of the classes: by its names where it has some.
cost_matrix <- function(cost, labels) {
    count <- length(labels$classes)
    if (!is.matrix(cost) || !is.numeric(cost) || !identical(dim(cost), c(count, count)))
        refuse(paste0("cost of ", count, " classes is ", if (count == 2) "a pair or ",
                      "a matrix of ", count, " x ", count, ": a row for what is, a column for ",
                      "what is said"))
    for (names in dimnames(cost))
        if (!is.null(names) && !setequal(names, labels$classes))
            refuse(paste0("cost: its names are not the classes ", toString(labels$classes)))
    if (!is.null(rownames(cost))) cost <- cost[labels$classes, , drop = FALSE]
    if (!is.null(colnames(cost))) cost <- cost[, labels$classes, drop = FALSE]
    if (anyNA(diag(cost)) || any(diag(cost) != 0)) refuse("cost: a label that is right costs 0")
    cost
}

# Costs of two classes are an option, a missed row of the positive label first.
pair_of_costs <- function(cost, labels) {
    if (is.null(cost) || length(labels$classes) > 2) return(NULL)
    pair <- is.null(dim(cost)) && (is.character(cost) || (is.numeric(cost) && length(cost) == 2))
    if (!pair) {
        cost <- cost_matrix(cost, labels)
        cost <- c(cost[2, 1], cost[1, 2])
    }
    if (is.numeric(cost) && !all(is.finite(cost) & cost > 0))
        refuse(paste0("cost of two classes is two positive numbers, not ", toString(cost)))
    list(cost = cost)
}

# Costs of three classes or more are part of the rows. A table has texts among its classes in the
# order of their bytes.
set_costs <- function(data, labels, about) {
    if (is.null(about$cost) || length(labels$classes) == 2) return()
    cost <- cost_matrix(about$cost, labels)
    if (isTRUE(about$table) && !is.numeric(labels$values)) {
        order <- order(label_text(labels$values), method = "radix")
        cost <- cost[order, order]
    }
    storage.mode(cost) <- "double"
    native(.Call(C_costs, data, t(cost)))
}

# The model to start from.
start_of <- function(start) {
    if (is.null(start)) return(NULL)
    if (!inherits(start, "gibbsite"))
        refuse("start: expected a fit of gibbsite() or gibbsite_rank()")
    handle_of(start)
}

check_lengths <- function(weights, groups, rows) {
    if (!is.null(groups) && (length(groups) != rows || anyNA(groups)))
        refuse("groups must be one for each row, none of them missing")
    if (is.null(weights)) return()
    if (!is.numeric(weights) || length(weights) != rows)
        refuse("weights must be numbers, one for each row")
    bad <- which(!(is.finite(weights) & weights >= 0))
    if (length(bad))
        refuse(paste0("the weight of row ", bad[1], " is ", weights[bad[1]],
                      ", and weights are numbers from 0"), "data")
}

# Fits to a handle on rows.
fit_data <- function(task, data, options, looked, weights, labels, about) {
    set_costs(data, labels, about)
    check_lengths(weights, about$groups, .Call(C_shape, data)[1])
    if (!is.null(about$groups))
        native(.Call(C_groups, data, match(about$groups, unique(about$groups))))
    .Call(C_looked, data, as.integer(looked_bits(looked)))
    if (!is.null(weights)) native(.Call(C_weights, data, as.double(weights)))
    bar <- progress_of(about$progress, environment())
    box <- native(.Call(C_fit, data, start_of(about$start), options,
                        how(about$seed, about$threads, bar)))
    list(call = about$call, task = task, seed = about$seed,
         threads = about$threads, options = options, groups = about$groups, box = box)
}

# What is told of a fitted model; the bytes of its file. `response`: what the labels are called;
# `transformed`: the terms that made columns which the rows do not have.
finish_fit <- function(object, labels, names, columns, weights, response = NULL,
                       transformed = NULL) {
    box <- object$box
    object$box <- NULL
    if (is.null(.Call(C_recipe, box)))
        native(.Call(C_set_recipe, box, recipe_of(names, columns, label_text(labels$values),
                                                  !is.character(labels$values), response,
                                                  transformed)))
    object$transformed <- if (!is.null(transformed)) TRUE
    object$labels <- labels[c("classes", "values", "levels", "ordered")]
    object$columns <- names
    object$weights <- weights
    object <- tell(object, box)
    if (!isTRUE(object$info$converged))
        warning("the solver did not converge; see max_iter and tol in gibbsite_options()",
                call. = FALSE)
    object
}

tell <- function(object, box) {
    object$info <- told_by(native(.Call(C_describe, box)))
    object$handle <- keep_handle(box, native(.Call(C_to_json, box)))
    object <- object[!vapply(object, is.null, NA)]
    class(object) <- c(if (object$task == "rank") "gibbsite_rank", "gibbsite")
    object
}
