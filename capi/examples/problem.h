// Reads a contact problem of a file: what stands in the line that opens with #.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom.h"

// The next number; ends the program where there is none.
static double next_number(FILE *file) {
  double number;
  if (fscanf(file, "%lf", &number) == 1) return number;
  fputs("a number is missing\n", stderr);
  exit(1);
}

// The next numbers, in memory that is released with the program.
static double *next_numbers(FILE *file, size_t count) {
  double *numbers = (double *)malloc((count > 0 ? count : 1) * sizeof *numbers);
  if (numbers == NULL) exit(1);
  for (size_t i = 0; i < count; ++i) numbers[i] = next_number(file);
  return numbers;
}

static carom_problem read_problem(const char *name) {
  FILE *file = fopen(name, "r");
  if (file == NULL) {
    perror(name);
    exit(1);
  }
  for (int c = fgetc(file); c != '\n' && c != EOF;) c = fgetc(file);
  carom_problem problem;
  memset(&problem, 0, sizeof problem);
  problem.order = CAROM_ROW_MAJOR;
  const size_t n = problem.coordinates = (size_t)next_number(file);
  const size_t m = problem.contacts = (size_t)next_number(file);
  const size_t d = problem.tangents = (size_t)next_number(file);
  problem.mass = next_numbers(file, n * n);
  problem.normal = next_numbers(file, m * n);
  problem.tangent = next_numbers(file, d * m * n);
  problem.friction = next_numbers(file, m);
  problem.velocity = next_numbers(file, n);
  fclose(file);
  return problem;
}
