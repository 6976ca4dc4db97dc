# A formula's rows, and the design matrix that is made of them.
#
# A certificate rests on rows that nothing has seen. What a formula learns from its rows (the centre
# of scale(), the polynomials of poly(), the levels of a text) is therefore learned from the rows
# that the fit learns from, and applied to the others. What cannot be separated so, such as
# I(x - mean(x)), makes the certificate conditional.

# ---------------------------------------------------------------- raw rows

# The variables of a formula, one row each: those of `data`, else of the formula's environment.
variables_of <- function(tt, data) {
    where <- environment(tt)
    wanted <- all.vars(tt)
    n <- if (is.null(data)) NROW(eval(tt[[2]], list(), where)) else nrow(data)
    raw <- structure(list(), names = character(), row.names = .set_row_names(n),
                     class = "data.frame")
    if (!is.null(data)) attr(raw, "row.names") <- attr(data, "row.names")
    for (name in wanted) {
        value <- if (name %in% names(data)) data[[name]] else get0(name, where)
        if (is.null(value))
            refuse(paste0("there is no variable '", name, "'"), "data")
        if (!is.function(value) && NROW(value) == n) raw[[name]] <- value
    }
    raw
}

# Rows by formula, data, weights, subset and na.action, as glm() has them. `weights` and `subset`
# are values; list(terms, raw, weights, groups, omitted, response: the name of the labels where they
# are a variable, inputs: those of a plain formula, missing).
formula_rows <- function(formula, data, weights, subset, na.action, groups = NULL,
                         missing = "error", contrasts = NULL) {
    if (!is.null(data) && !is.data.frame(data)) data <- as.data.frame(data)
    tt <- terms(formula, data = data)
    if (attr(tt, "response") == 0) refuse("the formula has no response")
    if (!is.null(attr(tt, "offset")))
        refuse("an offset is not offered: a certificate is about the labels alone")
    raw <- variables_of(tt, data)
    refuse_integer64(raw)
    if (!is.null(weights)) {
        if (!is.numeric(weights) || length(weights) != nrow(raw))
            refuse("weights must be numbers, one for each row")
        raw[["(weights)"]] <- weights
    }
    if (!is.null(groups)) {
        if (length(groups) != nrow(raw)) refuse("groups must be one for each row")
        raw[["(groups)"]] <- groups
    }
    if (!is.null(subset)) {
        if (is.logical(subset)) subset <- subset & !is.na(subset)
        raw <- raw[subset, , drop = FALSE]
    }
    check_missing(missing)
    action <- if (missing == "drop") na.omit else if (is.null(na.action)) na.pass else
        match.fun(na.action)
    inputs <- plain_inputs(tt, raw, contrasts)
    if (missing == "impute" && is.null(inputs))
        refuse(paste("missing = \"impute\" is for formulas that only list variables: fill in those",
                     "that a formula transforms before"))
    kept <- leave_out(tt, raw, action, if (missing == "impute") inputs)
    weights <- kept[["(weights)"]]
    groups <- kept[["(groups)"]]
    kept[["(weights)"]] <- kept[["(groups)"]] <- NULL
    response <- attr(tt, "variables")[[2]]
    list(terms = tt, raw = kept, weights = weights, groups = groups, variables = names(data),
         omitted = attr(kept, "na.action"), inputs = inputs, missing = missing,
         response = if (is.name(response)) as.character(response))
}

response_of <- function(rows) model.response(model.frame(rows$terms, rows$raw, na.action = na.pass))

# Rows without those that na.action leaves out; missing cells of `filled` variables are no reason.
leave_out <- function(tt, raw, action, filled = NULL) {
    if (!is.null(filled)) {
        gone <- attr(action(raw[setdiff(names(raw), filled)]), "na.action")
        return(if (length(gone)) structure(raw[-gone, , drop = FALSE], na.action = gone) else raw)
    }
    kept <- action(raw)
    # What the formula makes missing, such as log(-1), is left out in the same way.
    made <- attr(action(model.frame(tt, kept, na.action = na.pass)), "na.action")
    if (is.null(made)) return(kept)
    action(replace_missing(raw, setdiff(row.names(raw), row.names(kept)[-made])))
}

# Rows of these names made missing, so that na.action counts them.
replace_missing <- function(raw, gone) {
    for (name in names(raw)[1]) {
        if (is.matrix(raw[[name]])) raw[[name]][row.names(raw) %in% gone, ] <- NA
        else raw[[name]][row.names(raw) %in% gone] <- NA
    }
    raw
}

# ---------------------------------------------------------------- what is learned from rows

# The learned parts of a formula: terms with safe predictions, and the levels of its factors.
learn_design <- function(tt, raw, contrasts) {
    frame <- model.frame(tt, raw, na.action = na.pass, drop.unused.levels = FALSE)
    learned <- terms(frame)
    list(terms = learned, xlevels = .getXlevels(learned, frame), contrasts = contrasts,
         ordered = names(frame)[vapply(frame, is.ordered, NA)],
         intercept = attr(learned, "intercept") == 1)
}

# Every level its own column, as everywhere in Gibbsite: the prior makes the solution unique, and a
# level that was not seen is then no other level. Ordered factors keep R's polynomials. The columns
# stand in the factor itself, because R's own assignment refuses a factor of one level.
coded <- function(value, name, design) {
    levels <- design$xlevels[[name]]
    value <- factor(value, levels = levels, ordered = name %in% design$ordered)
    if (!is.null(design$contrasts[[name]])) stats::contrasts(value) <- design$contrasts[[name]]
    else if (!is.ordered(value) || length(levels) < 2)
        attr(value, "contrasts") <- structure(diag(length(levels)),
                                              dimnames = list(levels, levels))
    value
}

# The design of rows; a level that was not learned is a row of zeros, told by attribute `unseen`.
design_matrix <- function(design, raw) {
    tt <- delete.response(design$terms)
    frame <- model.frame(tt, raw, na.action = na.pass)
    check_kinds(design$terms, frame)
    unseen <- list()
    rows <- rep(FALSE, nrow(frame))
    for (name in names(design$xlevels)) {
        value <- as.character(frame[[name]])
        new <- !is.na(value) & !value %in% design$xlevels[[name]]
        if (any(new)) unseen[[name]] <- list(count = sum(new), level = value[new][1])
        rows <- rows | new
        frame[[name]] <- coded(value, name, design)
    }
    x <- model.matrix(tt, frame)
    if (any(rows)) {
        zero <- is.na(x) & rows
        for (name in names(which(vapply(frame, is.numeric, NA)))) # those stay missing
            zero[is.na(rowSums(as.matrix(frame[[name]]))), ] <- FALSE
        x[zero] <- 0
    }
    names <- row.names(frame)
    x <- x[, colnames(x) != "(Intercept)", drop = FALSE]
    structure(x, dimnames = list(names, colnames(x)), assign = NULL, contrasts = NULL,
              unseen = unseen)
}

# Texts in the place of numbers would become columns of their own.
check_kinds <- function(tt, frame) {
    was <- attr(tt, "dataClasses")
    for (name in intersect(names(was)[was %in% c("numeric", "logical")], names(frame)))
        if (is.factor(frame[[name]]) || is.character(frame[[name]]))
            refuse(paste0("variable '", name, "' is a ", class(frame[[name]])[1], ", and was ",
                          was[[name]], " in the fit"), "data")
}

tell_unseen <- function(unseen) {
    for (name in names(unseen))
        message("column '", name, "': ", unseen[[name]]$count, " rows with a level that the fit ",
                "did not learn from, such as '", unseen[[name]]$level, "'")
}

same_values <- function(a, b) {
    if (is.factor(a) || is.character(a)) return(identical(as.character(a), as.character(b)))
    isTRUE(all.equal(as.numeric(as.matrix(a)), as.numeric(as.matrix(b)), tolerance = 1e-12))
}

# Do the variables of some rows stay what they are when other rows are there too?
apart <- function(tt, raw, some) {
    all_rows <- model.frame(tt, raw, na.action = na.pass)
    of_some <- tryCatch(model.frame(tt, raw[some, , drop = FALSE], na.action = na.pass),
                        error = function(e) NULL)
    !is.null(of_some) && all(vapply(names(of_some), function(name) {
        v <- all_rows[[name]]
        same_values(if (is.matrix(v)) v[some, , drop = FALSE] else v[some], of_some[[name]])
    }, NA))
}

# Is every column of the design a function of its own row, whatever the others are?
row_by_row <- function(tt, raw) {
    frame <- model.frame(delete.response(tt), raw, na.action = na.pass)
    learned <- terms(frame)
    declared <- vapply(names(frame), function(name) {
        v <- frame[[name]]
        if (is.character(v)) FALSE else if (is.factor(v)) is.factor(raw[[name]]) else TRUE
    }, NA)
    predicted <- attr(learned, "predvars")
    all(declared) && (is.null(predicted) || identical(predicted, attr(learned, "variables"))) &&
        apart(delete.response(tt), raw, seq(1L, nrow(raw), by = 2L))
}

# Numbers that depend on what is in each row, for the library to draw a split by.
fingerprint <- function(raw) {
    columns <- lapply(raw, function(v) {
        if (is.character(v)) v <- match(v, sort(unique(v)))
        if (is.matrix(v)) matrix(as.double(v), nrow(v)) else as.double(v)
    })
    x <- do.call(cbind, columns)
    x[!is.finite(x)] <- -1.5e300
    unname(x)
}
