# Data of known truth: the numbers of `gibbsite simulate`, whose streams these are.

gibbsite_simulate <- function(kind = c("classify", "rank", "ratings"), rows = NULL, cols = NULL,
                              noise = NULL, signal = NULL,
                              shape = c("linear", "xor", "rings", "waves"), skip = 0, rank = NULL,
                              density = NULL, skew = 0, biases = TRUE,
                              positions = c("random", "informed"), range = NULL, seed = 1) {
    kind <- match.arg(kind)
    shape <- match.arg(shape)
    positions <- match.arg(positions)
    seed <- seed_of(seed)
    usual <- as.list(.Call(C_simulated))
    ratings <- kind == "ratings"
    if (is.null(rows)) rows <- usual$rows
    if (is.null(cols)) cols <- if (ratings) usual$rated else usual$cols
    if (is.null(noise)) noise <- if (ratings) usual$noise else usual$flips
    if (is.null(rank)) rank <- usual$rank
    if (is.null(density)) density <- usual$density
    if (!is.numeric(skip) || length(skip) != 1 || is.na(skip) || skip < 0 || skip != floor(skip))
        refuse("skip must be a whole number from 0")
    if (!is.null(range) && (!is.numeric(range) || length(range) != 2 || !all(is.finite(range)) ||
                                range[1] >= range[2]))
        refuse("range must be two numbers, the first below the second")
    if (ratings)
        return(simulate_ratings(seed, c(rows, cols), noise, skip, rank, density, skew, biases,
                                positions == "informed", range))
    if (noise < 0 || noise >= 0.5 || (kind == "rank" && noise == 0))
        refuse("noise must be from 0 to below 0.5, in ranking above 0")
    if (kind == "rank" && shape != "linear") refuse("shape is for classify")
    if (is.null(signal)) signal <- if (shape %in% c("xor", "rings")) 2 else cols
    if (signal < 1 || signal > cols) refuse("signal must be from 1 to cols")
    simulate_rows(seed, kind, rows, cols, noise, signal, shape, skip)
}

random_numbers <- function(seed, stream, count, normal = TRUE, first = 0, step = 1) {
    native(.Call(C_random, seed, as.double(stream), as.double(c(first, step)), as.double(count),
                 normal))
}

# ---------------------------------------------------------------- rows

simulate_rows <- function(seed, kind, rows, cols, noise, signal, shape, skip) {
    theta <- numeric(cols)
    theta[seq_len(signal)] <- random_numbers(seed, 1, signal)
    theta <- theta / sqrt(sum(theta^2))
    x <- matrix(random_numbers(seed, 2, rows * cols, TRUE, skip * cols), rows, byrow = TRUE,
                dimnames = list(NULL, paste0("x", seq_len(cols))))
    u <- random_numbers(seed, 4, rows, FALSE, skip)
    if (kind == "rank") {
        y <- ifelse(u < 0.5, 1, -1)
        x <- x + outer(y * -qnorm(noise) * sqrt(0.5), theta)
        truth <- list(theta = theta, best_auc = 1 - noise)
    } else {
        some <- seq_len(signal)
        value <- shape_value(shape, x[, some, drop = FALSE], theta[some])
        y <- ifelse((value >= 0) != (u < noise), 1, -1)
        truth <- list(theta = theta, bayes_risk = noise, shape = shape)
    }
    structure(data.frame(x, y = y), truth = truth)
}

# The function of the columns that carry the signal whose sign is the label.
shape_value <- function(shape, x, theta) {
    odd <- seq_along(theta) %% 2 == 1
    switch(shape,
           linear = drop(x %*% theta),
           xor = drop(x[, odd, drop = FALSE] %*% theta[odd]) *
               drop(x[, !odd, drop = FALSE] %*% theta[!odd]),
           rings = ifelse(floor(4 * pchisq(rowSums(x^2), ncol(x))) %% 2 == 1, 1, -1),
           waves = drop((cos(2 * x) - exp(-2)) %*% theta))
}

# ---------------------------------------------------------------- ratings

simulate_ratings <- function(seed, items, noise, skip, rank, density, skew, biases, informed,
                             range) {
    n <- floor(density * items[1] * items[2] + 0.5)
    if (rank < 1 || noise < 0 || skew < 0 || n < 1 || n > 1e9)
        refuse(paste("rank must be positive, noise and skew not negative, and density such that",
                     "there are 1 to 1e9 ratings"))
    factors <- lapply(1:2, function(s) {
        rank^-0.25 * matrix(random_numbers(seed, 15 + s, items[s] * rank), items[s], byrow = TRUE)
    })
    bias <- lapply(1:2, function(s) {
        if (biases) 0.5 * random_numbers(seed, 17 + s, items[s]) else numeric(items[s])
    })
    shares <- if (skew > 0)
        lapply(1:2, function(s) cumsum(exp(skew * random_numbers(seed, 19 + s, items[s]))))
    item <- function(s, first, step) {
        u <- random_numbers(seed, 21 + s, n, FALSE, first, step)
        if (is.null(shares)) return(floor(u * items[s]) + 1)
        cumulated <- shares[[s]]
        pmin(findInterval(u * cumulated[items[s]], cumulated, left.open = TRUE) + 1, items[s])
    }
    cells <- if (informed) informed_cells(seed, n, skip, item, factors) else
        list(item(1, skip, 1), item(2, skip, 1))
    product <- rowSums(factors[[1]][cells[[1]], , drop = FALSE] *
                           factors[[2]][cells[[2]], , drop = FALSE])
    value <- (if (biases) 3 else 0) + bias[[1]][cells[[1]]] + bias[[2]][cells[[2]]] + product +
        noise * random_numbers(seed, 24, n, TRUE, skip)
    if (!is.null(range)) value <- pmin(range[2], pmax(range[1], value))
    structure(data.frame(row = cells[[1]], col = cells[[2]], value = value),
              truth = list(rank = rank, noise = noise, noise_variance = noise^2, biases = biases,
                           positions = if (informed) "informed" else "random"))
}

# A cell is kept with probability 1 / (1 + exp(-2 u'v)), else another one is drawn; of 64 the last.
informed_cells <- function(seed, n, skip, item, factors) {
    cells <- list(numeric(n), numeric(n))
    open <- rep(TRUE, n)
    for (k in 0:63) {
        first <- skip * 64 + k
        drawn <- list(item(1, first, 64), item(2, first, 64))
        for (s in 1:2) cells[[s]][open] <- drawn[[s]][open]
        taste <- rowSums(factors[[1]][drawn[[1]], , drop = FALSE] *
                             factors[[2]][drawn[[2]], , drop = FALSE])
        open <- open & random_numbers(seed, 26, n, FALSE, first, 64) >= 1 / (1 + exp(-2 * taste))
        if (!any(open)) break
    }
    cells
}
