#!/usr/bin/env bash
# The examples run as they stand: the shell ones with the program on the PATH, the C ones against an
# installed package.
. "$(dirname "$0")/../lib.sh"

examples=$GIBBSITE_ROOT/examples
mkdir bin work
ln -s "$GIBBSITE" bin/gibbsite
export PATH="$PWD/bin:$PATH" TMPDIR="$PWD/work"

listed=$(grep -oE '^\| \[0[1-9]_[a-z_]+\.(sh|c|py|R)\]' "$examples/README.md" | tr -d '|[] ' |
    paste -sd' ' -)
found=$(cd "$examples" && echo 0*.sh 0*.c 0*.py 0*.R | tr ' ' '\n' | sort | paste -sd' ' -)
if [[ $listed == "$found" ]]; then ok "the list names every example: $found"; else not_ok \
    'the list names every example' "$listed" "$found"; fi

expect_exit 0 sh "$examples/01_first_fit.sh"
expect_stdout '^the certificate held$'
expect_exit 0 sh "$examples/02_lambda_and_methods.sh"
expect_stdout '^kl: 0\.[0-9]+, price of the grid 0 nats$'
expect_stdout '^catoni: 0\.[0-9]+, price of the grid 1\.79[0-9]* nats$' # log 6
expect_stdout '^default: 0\.[0-9]+$'
holds 'six values of lambda' "$(grep -cE '^[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+$' "$stdout") == 6"
expect_exit 0 sh "$examples/03_ranking.sh"
expect_words \
    'the score that predict prints has a true AUC of at least 0\.[0-9]+, with confidence 0\.95: '\
'valid'
check 'the rows on top are in order' bash -c 'tail -n 5 "$1" | cut -d, -f1 | sort -g -r -c' bash \
    "$stdout"
expect_exit 0 sh "$examples/04_completion.sh"
expect_words 'the RMSE of the values that predict prints is at most [01]\.[0-9]+'
expect_stdout '^col,value,sd$'

python=$GIBBSITE_ROOT/build/python/venv/bin/python3
if [[ -x $python ]] && "$python" -c 'import gibbsite' 2>/dev/null; then
    expect_exit 0 env PYTHONDONTWRITEBYTECODE=1 "$python" "$examples/07_fit_certify_predict.py"
    expect_stdout '^\* 0\.[0-9]+ +vote +binomial +from [0-9]+ rows, valid$'
    expect_stdout '^the certificate held$'
    expect_no_file example07.json
else
    skip '07: no Python package: make python'
fi
if command -v Rscript >/dev/null && [[ -d $GIBBSITE_ROOT/build/r/library/gibbsite ]]; then
    expect_exit 0 env R_LIBS="$GIBBSITE_ROOT/build/r/library" \
        Rscript --vanilla "$examples/08_fit_certify_predict.R"
    expect_stdout '^\* 0\.[0-9]+ +vote +binomial +from [0-9]+ rows, valid$'
    expect_stdout '^the certificate held$'
    expect_no_file example08.json
else
    skip '08: no R package: make r'
fi

if [[ ! $(ls -A work) ]]; then ok 'they leave nothing behind'; else not_ok \
    'they leave nothing behind' "$(ls -A work)"; fi

need_program cc cmake pkg-config || exit 0
need_plain_build 'the C examples build against what is installed' || exit 0
check 'installs' cmake --install "$GIBBSITE_BUILD" --prefix "$tmp/prefix" || exit
libdir=$(dirname "$(find "$tmp/prefix" -name libgibbsite.so)")
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
# shellcheck disable=SC2046
build() { cc -std=c17 -Wall -Wextra -Wconversion -Werror "$examples/$1.c" -o "$1" \
    $(pkg-config --cflags --libs gibbsite); }
check '05: builds' build 05_fit_certify_predict && {
    expect_exit 0 ./05_fit_certify_predict
    expect_stdout '^\* 0\.[0-9]+ +vote +binomial +from [0-9]+ rows, valid$'
    expect_stdout '^the certificate held$'
    expect_no_file example05.json
}
check '06: builds' build 06_progress_and_cancel && {
    expect_exit 0 ./06_progress_and_cancel
    expect_stdout '^fitted: progress was reported several times, up to 100 %$'
    expect_stdout '^KL\(model \|\| Gibbs posterior\) = -?[0-9.]+ \+- [0-9.]+$'
    expect_stdout '^cancelled: .*, model is NULL$'
}
need_program mpicc mpirun || exit 0
if [[ ! -e $libdir/libgibbsite-mpi.so ]]; then
    skip '09: ranks' 'built without MPI'
    exit 0
fi
ranks=(timeout -s KILL 120 mpirun --oversubscribe -q)
((EUID != 0)) || ranks+=(--allow-run-as-root)
# shellcheck disable=SC2046
build_ranks() {
    mpicc -std=c17 -Wall -Wextra -Wconversion -Werror "$examples/09_ranks.c" -o 09_ranks \
        $(pkg-config --cflags --libs gibbsite) \
        -lgibbsite-mpi
}
check '09: builds' build_ranks && {
    expect_exit 0 "${ranks[@]}" -np 1 ./09_ranks
    bound=$(tail -n 1 "$stdout")
    expect_exit 0 "${ranks[@]}" -np 3 ./09_ranks
    expect_stdout '^1200 rows of all ranks, 400 of the first$'
    as 'the certificate of three ranks is that of one'
    check "$bound" test "$bound" = "$(tail -n 1 "$stdout")"
    expect_no_file example09.json
}
