import { list, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'

/** The test whose run a trace shows, as reported by its test runner. */
const testShape = struct({
  file: described(text, "Path of the test's file"),
  title: described(text, 'Title, after the titles of its groups'),
  result: word('passed', 'failed'),
  error: optional(
    struct({
      text,
      at: optional(described(text, 'Place where the error was thrown, such as `app_test.py:7`')),
    }),
  ),
})

/**
 * Details of a run that only the caller knows: the command and the test (behaviour/program#traces).
 */
export const tracedRunShape = struct({
  command: optional(described(list(text), 'Command with its arguments')),
  test: optional(testShape),
})

export type TracedRunInput = InputOf<typeof tracedRunShape>
