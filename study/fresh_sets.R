# Data sets of R packages that Debian has, as CSV files: rules made on other sets are tried on them.
#
#   Rscript study/fresh_sets.R FOLDER
#
# FOLDER/two/NAME.csv: two classes, the last column `y` of 1 and -1. FOLDER/many/NAME.csv: three or
# more, the last column `class`. Rows with a missing cell are left out, as the peers cannot read
# them, after columns with more than a tenth of their cells missing; at most 5,000 rows of each
# (a random part, seed 1). Packages: r-cran-mlbench, -kernlab, -modeldata, -mass, -aer, -survival,
# -rpart, -boot, -dslabs.

folder <- commandArgs(trailingOnly = TRUE)[1]
for (part in c("two", "many")) dir.create(file.path(folder, part), recursive = TRUE, FALSE)

get_set <- function(package, name) {
  place <- new.env()
  data(list = name, package = package, envir = place)
  as.data.frame(place[[name]])
}

tidy <- function(frame, label) {
  frame <- as.data.frame(frame)
  keep <- vapply(frame, function(column) mean(is.na(column)) <= 0.1, NA)
  ok <- complete.cases(frame[keep]) & !is.na(label)
  frame <- frame[ok, keep, drop = FALSE]
  label <- label[ok]
  set.seed(1)
  some <- if (nrow(frame) > 5000) sample(nrow(frame), 5000) else seq_len(nrow(frame))
  frame <- frame[some, , drop = FALSE]
  for (k in seq_along(frame)) if (is.logical(frame[[k]])) frame[[k]] <- as.integer(frame[[k]])
  for (k in seq_along(frame)) if (is.ordered(frame[[k]])) frame[[k]] <- as.integer(frame[[k]])
  changing <- vapply(frame, function(column) length(unique(column)) > 1, NA)
  list(frame[changing], label[some])
}

two <- function(name, frame, positive) {
  made <- tidy(frame, positive)
  out <- made[[1]]
  out$y <- ifelse(made[[2]], 1L, -1L)
  write.csv(out, file.path(folder, "two", paste0(name, ".csv")), row.names = FALSE, quote = TRUE)
}

many <- function(name, frame, label) {
  made <- tidy(frame, as.character(label))
  out <- made[[1]]
  out$class <- paste0("c", made[[2]])
  write.csv(out, file.path(folder, "many", paste0(name, ".csv")), row.names = FALSE, quote = TRUE)
}

without <- function(frame, ...) frame[setdiff(names(frame), c(...))]

# A level more for missing cells.
unknown <- function(column) ifelse(is.na(column), "unknown", as.character(column))

m <- function(name) get_set("mlbench", name)
f <- m("HouseVotes84")
for (k in seq_along(f)[-1]) f[[k]] <- unknown(f[[k]])
two("votes", without(f, "Class"), f$Class == "democrat")
f <- m("Sonar"); two("sonar", without(f, "Class"), f$Class == "M")
f <- m("Vehicle"); many("vehicle", without(f, "Class"), f$Class)
two("vehicle_van", without(f, "Class"), f$Class == "van")
two("vehicle_saab", without(f, "Class"), f$Class == "saab")
f <- m("Vowel"); many("vowel", without(f, "Class"), f$Class)
two("vowel_front", without(f, "Class"), f$Class %in% c("hid", "hId", "hEd", "hAd"))
f <- m("Satellite"); many("satellite", without(f, "classes"), as.integer(f$classes))
two("satellite_damp", without(f, "classes"), grepl("damp", f$classes))
f <- m("LetterRecognition"); many("letters", without(f, "lettr"), f$lettr)
two("letters_am", without(f, "lettr"), as.character(f$lettr) <= "M")
f <- m("Shuttle"); many("shuttle", without(f, "Class"), as.integer(f$Class))
f <- m("Zoo"); many("zoo", without(f, "type"), f$type)
f <- m("Soybean")
for (k in seq_along(f)[-1]) f[[k]] <- paste0("l", unknown(f[[k]]))
many("soybean", without(f, "Class"), f$Class)

k <- function(name) get_set("kernlab", name)
f <- k("spam"); two("spam", without(f, "type"), f$type == "spam")
f <- k("musk"); two("musk", without(f, "Class"), f$Class == 1)
f <- k("promotergene"); two("promoters", without(f, "Class"), f$Class == "+")
f <- k("ticdata"); two("caravan", without(f, "CARAVAN"), f$CARAVAN == "insurance")
f <- k("income"); two("household", without(f, "INCOME"), as.integer(f$INCOME) >= 6)

d <- function(name) get_set("modeldata", name)
f <- d("ad_data"); two("alzheimer", without(f, "Class"), f$Class == "Impaired")
f <- d("attrition"); two("attrition", without(f, "Attrition"), f$Attrition == "Yes")
f <- d("cells"); two("cells", without(f, "class", "case"), f$class == "PS")
f <- d("credit_data"); two("credit", without(f, "Status"), f$Status == "bad")
f <- d("lending_club"); two("lending", without(f, "Class"), f$Class == "bad")
f <- d("mlc_churn"); two("churn", without(f, "churn"), f$churn == "yes")
f <- d("wa_churn"); two("telecom", without(f, "churn"), f$churn == "Yes")
f <- d("pd_speech"); two("speech", without(f, "class"), f$class == levels(factor(f$class))[1])
f <- d("stackoverflow"); two("remote", without(f, "Remote"), f$Remote == "Remote")
f <- d("two_class_dat"); two("two_class", without(f, "Class"), f$Class == "Class1")
f <- d("penguins"); many("penguins", without(f, "species"), f$species)
two("penguins_sex", without(f, "sex"), f$sex == "male")
f <- d("hpc_data"); many("hpc", without(f, "class"), f$class)
f <- d("scat"); many("scat", without(f, "Species"), f$Species)

a <- function(name) get_set("AER", name)
f <- a("Affairs"); two("affairs", without(f, "affairs"), f$affairs > 0)
f <- a("CreditCard"); two("card", without(f, "card", "expenditure", "share"), f$card == "yes")
f <- a("HMDA"); two("mortgage", without(f, "deny"), f$deny == "yes")
f <- a("HealthInsurance"); two("insurance", without(f, "insurance"), f$insurance == "yes")
f <- a("SmokeBan"); two("smoke", without(f, "smoker"), f$smoker == "yes")
f <- a("SwissLabor"); two("swiss", without(f, "participation"), f$participation == "yes")
f <- a("PSID1976")
two("labour", f[c("youngkids", "oldkids", "age", "education", "hage", "heducation", "hwage",
                  "fincome", "tax", "meducation", "feducation", "unemp", "city", "hcollege",
                  "college")], f$participation == "yes")
f <- a("ResumeNames")
f$minimum <- paste0("at least ", f$minimum) # numbers and texts: categories
two("resume", without(f, "call", "name"), f$call == "yes")

f <- get_set("MASS", "birthwt"); two("birthwt", without(f, "low", "bwt"), f$low == 1)
f <- get_set("MASS", "crabs"); two("crabs", without(f, "sex", "index"), f$sex == "M")
many("crabs4", without(f, "sex", "index", "sp"), paste0(f$sp, f$sex))
f <- rbind(get_set("MASS", "synth.tr"), get_set("MASS", "synth.te"))
two("synth", without(f, "yc"), f$yc == 1)
f <- get_set("MASS", "Melanoma"); two("melanoma", without(f, "status", "time"), f$status == 1)
f <- survival::nwtco; two("wilms", without(f, "seqno", "rel", "edrel"), f$rel == 1)
f <- survival::rotterdam
two("rotterdam", without(f, "pid", "rtime", "recur", "dtime", "death"), f$death == 1)
f <- survival::flchain
two("flchain", f[c("age", "sex", "kappa", "lambda", "flc.grp", "mgus")], f$death == 1)
f <- get_set("rpart", "kyphosis"); two("kyphosis", without(f, "Kyphosis"), f$Kyphosis == "present")
f <- get_set("boot", "urine"); two("urine", without(f, "r"), f$r == 1)
f <- get_set("dslabs", "olive")
many("olive", without(f, "area", "region"), f$area)
many("iris", without(iris, "Species"), iris$Species)
