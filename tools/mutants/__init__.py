"""Mutation testing: change one small thing in a module, and see whether any test notices.

A sample of lines is mutated, one at a time, in a copy of the package. Only tests that ran the
line are run, which coverage tells. A mutant that no test kills points at behaviour that nothing
checks. Tools that mutate everything, or run all tests for each change, take days here.
"""
