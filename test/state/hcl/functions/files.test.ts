import { describe, expect, test } from 'vitest'
import { fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: files, and functions that do not exist', () => {
  test.each<[string, string]>([
    [
      'abspath("a")',
      'Error in function call; Call to function "abspath" failed: filesystem function disabled.',
    ],
    [
      'basename("a/b")',
      'Error in function call; Call to function "basename" failed: filesystem function disabled.',
    ],
    ['bcrypt("x")', 'Call to unknown function; There is no function named "bcrypt".'],
    [
      'dirname("a/b")',
      'Error in function call; Call to function "dirname" failed: filesystem function disabled.',
    ],
    [
      'file("x")',
      'Error in function call; Call to function "file" failed: filesystem function disabled.',
    ],
    ['file(1, 2)', 'Too many function arguments; Function "file" expects only 1 argument(s).'],
    [
      'filebase64("x")',
      'Error in function call; Call to function "filebase64" failed: filesystem function disabled.',
    ],
    [
      'fileexists("x")',
      'Error in function call; Call to function "fileexists" failed: filesystem function disabled.',
    ],
    [
      'fileset("x", "*")',
      'Error in function call; Call to function "fileset" failed: filesystem function disabled.',
    ],
    [
      'pathexpand("~")',
      'Error in function call; Call to function "pathexpand" failed: filesystem function disabled.',
    ],
    ['rsadecrypt("x", "y")', 'Call to unknown function; There is no function named "rsadecrypt".'],
    [
      'templatefile("x", {})',
      'Call to unknown function; There is no function named "templatefile".',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
