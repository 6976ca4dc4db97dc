#!/usr/bin/env bash
# `--device cuda`: without a GPU words and exit 2; kernels that nvcc compiles without a warning,
# with at most 64 bytes of registers spilled; declarations that agree with those of CUDA. The
# kernels themselves are run, thread by thread, by tests/unit/test_cuda_heavy.c.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

expect_exit 0 "$GIBBSITE" version
expect_stdout '^device cpu: [0-9]+ processors?$'
expect_stdout '^device cuda: .'
expect_exit 0 "$GIBBSITE" version --json
cp "$stdout" version.json
check 'devices are listed' test -n "$(json version.json devices.cuda)"

expect_exit 0 "$GIBBSITE" simulate classify --rows 300 --cols 4 -o rows.csv -q
expect_exit 2 "$GIBBSITE" fit rows.csv -o m.json --device abacus
# alike NAME ARGUMENT...: on the GPU as many $steps as on the processors, and $numbers to
# $tolerance. OUT in the arguments names the file.
tolerance=1e-10 steps=iterations numbers='free_energy certificate.value'
alike() {
    local name=$1 device number
    shift
    for device in cpu cuda; do
        as "$name: $device"
        expect_exit 0 "$GIBBSITE" "${@//OUT/$device.model}" --device "$device" --json
        cp "$stdout" $device.json
    done
    as "$name: the same $steps"
    expect_json cuda.json "$steps" "$(json cpu.json "$steps")"
    for number in $numbers; do
        expect_near "$name: $number" "$(json cuda.json "$number")" "$(json cpu.json "$number")" \
            "$tolerance"
    done
}
if "$GIBBSITE" version | grep -q '^device cuda: cannot be used'; then
    expect_exit 2 "$GIBBSITE" fit rows.csv -o none.json --device cuda
    expect_stderr \
        'device.* cuda: (there is no driver|the driver finds no GPU|this library was built '\
'without|the GPU|cuBLAS)'
    expect_no_file none.json
    skip 'fits on the GPU are those of the processors' 'no GPU here'
else
    "$GIBBSITE" simulate classify --rows 6000 --cols 12 --noise 0.1 -o long.csv -q
    "$GIBBSITE" simulate classify --rows 4000 --cols 80 --density 0.2 -o long.svm -q
    "$GIBBSITE" simulate ratings --rows 900 --cols 400 --density 0.1 --range 1:5 -o ratings.csv -q
    for family in fixed isotropic diagonal full; do
        for loss in zero-one hinge exponential probit; do
            alike "$loss, $family" fit long.csv --loss $loss --family $family --prior zero -o OUT
        done
        for loss in zero-one hinge; do
            alike "pairs, $loss, $family" fit long.csv --task rank --loss $loss --family $family \
                --prior zero -o OUT
        done
    done
    alike 'sparse rows' fit long.svm --loss hinge --prior zero -o OUT
    alike 'stages' fit long.csv --bound progressive -o OUT
    alike 'pairs drawn one by one' fit long.csv --task rank --solver sgd --prior zero -o OUT
    alike 'the default' fit long.csv -o OUT
    check 'its labels' cmp <("$GIBBSITE" predict cpu.model long.csv --json |
        grep -o '"label": *"[^"]*"') <("$GIBBSITE" predict cuda.model long.csv --device cuda \
        --json |
        grep -o '"label": *"[^"]*"')
    alike 'a map' fit long.csv --features fourier:60 -o OUT
    steps=lambda_path.# numbers='log_z gibbs_risk' alike 'particles' sample rows.csv \
        --particles 400 --lambda 100 -o OUT
    steps=sweeps numbers='free_energy rmse' tolerance=1e-7 alike 'ratings' complete ratings.csv \
        --range 1:5 -o OUT
fi

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [[ ! -x $nvcc ]]; then
    skip 'the kernels compile' 'nvcc is not installed'
    skip 'the declarations are those of CUDA' 'nvcc is not installed'
    exit 0
fi
# What the build heard from the compiler; a build without it, or of other kernels: asked again.
compile() {
    local log=$GIBBSITE_BUILD/generated/kernels.log
    if [[ -s $log && ! $(find "$GIBBSITE_ROOT"/src/pass/cuda/*.cu* -newer "$log") ]]; then
        cp "$log" registers
        ! grep -i warning registers
        return
    fi
    "$nvcc" -cubin -arch=sm_90 -O3 -std=c++17 -Werror all-warnings -Xptxas -v \
        -I"$GIBBSITE_ROOT/src" -o kernels.cubin \
        "$GIBBSITE_ROOT/src/pass/cuda/kernels.cu" >registers 2>&1 || { cat registers; return 1; }
}
check 'the kernels compile without a warning' compile
check 'ptxas says what they use' grep -q 'bytes spill stores' registers
check 'at most 64 bytes of registers are spilled' awk '/spill stores/ { for (i = 2; i < NF; i++)
    if ($(i + 1) == "bytes" && $(i + 2) == "spill" && $i > 64) exit 1 }' registers

include=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
if [[ ! -e $include/cuda.h || ! -e $include/cublas_v2.h ]]; then
    skip 'the declarations are those of CUDA' 'its headers are not installed'
    exit 0
fi
cat >declared.cpp <<'END'
#include <cuda.h>
#include <cublas_v2.h>
#include <cstddef>
#include <type_traits>
extern "C" {
#include "pass/cuda/driver.h"
}
// What one side calls an enumeration, a handle or another struct of the same layout is a number or
// a pointer to the other.
template <class T> struct plain {
    using type = std::conditional_t<std::is_pointer_v<T>, const volatile void *,
                                    std::conditional_t<std::is_enum_v<T>, int, T>>;
};
template <class F> struct shape;
template <class R, class... A> struct shape<R(A...)> {
    using type = void (*)(typename plain<A>::type...);
};
template <class R, class... A> struct shape<R (*)(A...)> {
    using type = void (*)(typename plain<A>::type...);
};
#define AGREE(symbol, member, arguments)                                                           \
    static_assert(std::is_same_v<shape<decltype(symbol)>::type, shape<int(*) arguments>::type>,    \
                  #symbol);
GBS_CUDA_DRIVER(AGREE)
GBS_CUDA_BLAS(AGREE)
static_assert(sizeof(gbs_cuda_copy) == sizeof(CUDA_MEMCPY2D), "copy");
static_assert(offsetof(gbs_cuda_copy, from_host) == offsetof(CUDA_MEMCPY2D, srcHost), "from_host");
static_assert(offsetof(gbs_cuda_copy, from_pitch) == offsetof(CUDA_MEMCPY2D, srcPitch),
              "from_pitch");
static_assert(offsetof(gbs_cuda_copy, to) == offsetof(CUDA_MEMCPY2D, dstDevice), "to");
static_assert(offsetof(gbs_cuda_copy, width) == offsetof(CUDA_MEMCPY2D, WidthInBytes), "width");
static_assert(GBS_CUDA_HOST == CU_MEMORYTYPE_HOST && GBS_CUDA_DEVICE == CU_MEMORYTYPE_DEVICE,
              "kinds of memory");
static_assert(GBS_CUDA_MULTIPROCESSORS == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
              "multiprocessors");
static_assert(GBS_CUDA_CAPABILITY_MAJOR == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
              "capability");
static_assert(GBS_CUDA_MOST_SHARED == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              "most shared");
static_assert(GBS_CUDA_OUT_OF_MEMORY == CUDA_ERROR_OUT_OF_MEMORY, "out of memory");
static_assert(GBS_CUDA_AS_IT_IS == CUBLAS_OP_N && GBS_CUDA_TRANSPOSED == CUBLAS_OP_T, "ways");
END
need_program g++ || exit 0
check 'the declarations are those of CUDA' g++ -std=c++17 -fsyntax-only -isystem "$include" \
    -I"$GIBBSITE_ROOT/src" declared.cpp
