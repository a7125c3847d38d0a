// kgen's own kernels around the fp64 oracle on a card: inputs into doubles, and what is compared with its answers.
// They run in the judge's process only, with DrawnElement.h in front. The arithmetic is that of Inputs.cpp and Verify.cpp,
// element by element.

// DType's order: f64 f32 f16 bf16 i64 i32 i8 i1; 8 stands for one value everywhere.

__device__ double judge_from_half(unsigned bits) { return (double)__uint_as_float(kgen_bits_of_half(bits)); }

__device__ unsigned judge_to_half(float value) { return kgen_half_of_bits(__float_as_uint(value)); }

__device__ double judge_load(const void *bytes, int type, long long i) {
  switch (type) {
  case 1:
    return (double)((const float *)bytes)[i];
  case 2:
    return judge_from_half(((const unsigned short *)bytes)[i]);
  case 3:
    return (double)__uint_as_float((unsigned)((const unsigned short *)bytes)[i] << 16);
  case 4:
    return (double)((const long long *)bytes)[i];
  case 5:
    return (double)((const int *)bytes)[i];
  case 6:
    return (double)((const signed char *)bytes)[i];
  case 7:
    return ((const unsigned char *)bytes)[i]; // a bool is 0 or 1
  default:
    return ((const double *)bytes)[i];
  }
}

/// VALUE as TYPE stores it; integers as they are.
__device__ double judge_stored(double value, int type) {
  switch (type) {
  case 1:
    return (double)(float)value;
  case 2:
    return judge_from_half(judge_to_half((float)value));
  case 3:
    return (double)__uint_as_float(kgen_bfloat_of_bits(__float_as_uint((float)value)) << 16);
  default:
    return value;
  }
}

/// From here on TYPE stores a finite number as an infinity: half a step beyond its largest one.
__device__ double judge_overflow(int type) {
  return type == 1   ? 340282356779733661637539395458142568448.0
         : type == 2 ? 65520.0
         : type == 3 ? 339617752923046005526922703901628039168.0
                     : __longlong_as_double(0x7ff0000000000000ll);
}

/// smallestHeld of Verify.cpp.
__device__ double judge_smallest(int type) {
  return type == 2 ? 1.0 / 16777216.0 : type == 1 || type == 3 ? 1.1754943508222875e-38 : 0.0;
}

/// differenceOf of Verify.cpp.
__device__ double judge_difference(int type, double out, double stored, double reference) {
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  if (type > 3 || isnan(out) || !isfinite(reference))
    return infinity;
  if (isfinite(out) && isfinite(stored))
    return fabs(out - reference);
  const double end = judge_overflow(type);
  if (!(fabs(fabs(reference) - end) <= end / 128.0))
    return infinity;
  return fabs((isfinite(out) ? out : copysign(end, out)) - reference);
}

/// Keeps BITS bits of fraction, ties to even.
__device__ double judge_round_fraction(double value, int bits) {
  if (!isfinite(value) || value == 0)
    return value;
  int exponent;
  double m = frexp(value, &exponent);
  return ldexp(rint(ldexp(m, bits + 1)), exponent - bits - 1);
}

/// RoundTo's order: none, tf32, fp16, bf16, fp8.
__device__ double judge_round(double value, int format) {
  switch (format) {
  case 1:
    return judge_round_fraction(value, 10);
  case 2:
    return isfinite(value) && fabs(value) > 65504 ? copysign(65504.0, value)
                                                  : judge_from_half(judge_to_half((float)value));
  case 3:
    return judge_round_fraction(value, 7);
  case 4:
    return isfinite(value) && fabs(value) > 448 ? copysign(448.0, value) : judge_round_fraction(value, 3);
  default:
    return value;
  }
}

/// Draws COUNT elements of TYPE. The words are those of kgen_drawing, doubles by their bits.
extern "C" __global__ void kgen_judge_draw(void *out, long long count, long long key, long long first, long long second,
                                           long long high, long long factor, long long row, long long place, int law,
                                           int runs, int alter, int may, int type) {
  kgen_drawing d;
  d.key = (kgen_word)key;
  d.first = __longlong_as_double(first);
  d.second = __longlong_as_double(second);
  d.high = __longlong_as_double(high);
  d.factor = __longlong_as_double(factor);
  d.row = row;
  d.place = place;
  d.law = law;
  d.runs = runs;
  d.alter = alter;
  d.may = may;
  long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    kgen_draw_store(out, type, i, kgen_draw_element(&d, i));
}

/// COUNT stored elements as doubles, through FORMAT first.
extern "C" __global__ void kgen_judge_widen(const void *bytes, double *out, long long count, int type, int format,
                                            int jittered) {
  long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    double value = judge_round(judge_load(bytes, type, i), format);
    out[i] = jittered ? kgen_jittered(value, (kgen_word)i) : value;
  }
}

/// NormSum of Verify.h.
struct JudgeNorm {
  double large, medium, small;
};

__device__ void judge_add(JudgeNorm *sum, double value) {
  const double size = fabs(value);
  if (size > 1.9979190722022350e146) { // 2^486
    const double scaled = size * 1.1113793747425387e-162; // 2^-538
    sum->large += scaled * scaled;
  } else if (size < 1.4916681462400413e-154) { // 2^-511
    const double scaled = size * 4.4989137945431964e161; // 2^537
    sum->small += scaled * scaled;
  } else {
    sum->medium += size * size;
  }
}

/// What one thread saw; the host adds these up (DifferenceSums of Verify.h has the same thirteen words).
struct JudgePartial {
  JudgeNorm differences, reference;
  double worst, found, expected;
  long long index, mismatches, far, skipped;
};

__device__ JudgePartial judge_nothing() {
  JudgePartial p;
  p.differences.large = p.differences.medium = p.differences.small = 0;
  p.reference = p.differences;
  p.found = p.expected = 0;
  p.worst = -1;
  p.index = -1;
  p.mismatches = p.far = p.skipped = 0;
  return p;
}

/// isOtherInfinity of Verify.cpp.
__device__ bool judge_is_other_infinity(double out, double ref) {
  return !isfinite(out) && !isfinite(ref) && out != ref && !(isnan(out) && isnan(ref));
}

/// compareChunks of Verify.cpp. VALUES are of SOURCE; 8: all are CONSTANT. STORE: as TYPE stores them. MAGNITUDES may be
/// null, and so may REACH, whose elements from the number of MOST_BITS on are not compared; with INFINITE only those
/// that are another infinity. WIDE has the right elements themselves where they are of i64, or is null.
extern "C" __global__ void kgen_judge_compare(const void *values, const double *reference, const double *magnitudes, const double *reach, const long long *wide,
                                              JudgePartial *partials, long long count, long long constant, long long close_bits,
                                              long long most_bits, int source, int type, int store,
                                              int infinite) {
  long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, stride = (long long)gridDim.x * blockDim.x;
  const double close = __longlong_as_double(close_bits), most = __longlong_as_double(most_bits), smallest = judge_smallest(type);
  const double step = type == 0   ? 1.0 / 4503599627370496.0
                      : type == 1 ? 1.0 / 8388608.0
                      : type == 2 ? 1.0 / 1024.0
                      : type == 3 ? 1.0 / 128.0
                                  : 0.0;
  JudgePartial part = judge_nothing();
  for (long long i = thread; i < count; i += stride) {
    double out = source == 8 ? __longlong_as_double(constant) : judge_load(values, source, i), ref = reference[i];
    if (store)
      out = judge_stored(out, type);
    if (reach && reach[i] >= most && (!infinite || judge_is_other_infinity(out, ref))) {
      ++part.skipped;
      continue;
    }
    double asStored = judge_stored(ref, type), difference;
    // Beyond 2^53 doubles do not tell integers from their neighbours.
    const bool same_word = !wide || source != 4 || ((const long long *)values)[i] == wide[i];
    if ((out == asStored && same_word) || (isnan(out) && isnan(asStored))) {
      difference = isfinite(ref) && isfinite(out) ? fabs(out - ref) : 0.0;
    } else {
      ++part.mismatches;
      difference = judge_difference(type, out, asStored, ref);
    }
    if (close > 0 && !(fabs(out - ref) <= close + close * fabs(ref)) && out != asStored)
      ++part.far;
    double size = magnitudes ? magnitudes[i] : 0.0;
    if (isfinite(size))
      difference = fmax(difference - size * (1.0 / 4194304.0), 0.0);
    difference = fmax(difference - smallest / 2, 0.0);
    judge_add(&part.differences, difference);
    if (isfinite(ref)) {
      const double held = isfinite(asStored) ? ref : judge_overflow(type);
      judge_add(&part.reference, held);
      difference = fmax(difference - fmax(step * fabs(ref), smallest), 0.0);
    }
    if (difference > part.worst) {
      part.worst = difference;
      part.index = i;
      part.found = out;
      part.expected = ref;
    }
  }
  partials[thread] = part;
}

/// Of the answer itself: squares and largest of what is finite, the sum of all (found), how many are not finite
/// (far) and how many are no integers up to the limit (mismatches).
extern "C" __global__ void kgen_judge_facts(const double *answer, JudgePartial *partials, long long count,
                                            long long limit_bits) {
  long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, stride = (long long)gridDim.x * blockDim.x;
  const double limit = __longlong_as_double(limit_bits);
  JudgePartial part = judge_nothing();
  part.worst = 0;
  for (long long i = thread; i < count; i += stride) {
    double v = answer[i], size = fabs(v);
    part.found += v;
    part.mismatches += !(v == rint(v) && size <= limit);
    if (isfinite(v)) {
      judge_add(&part.differences, v);
      if (size > part.worst)
        part.worst = size;
    } else {
      ++part.far;
    }
  }
  partials[thread] = part;
}
