"""Computes for about two seconds, and prints how many milliseconds that took."""
import time

began = time.perf_counter()
total = 0
for number in range(7_000_000):
    total += number ^ total & 1023
print((time.perf_counter() - began) * 1000, flush=True)
