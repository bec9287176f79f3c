import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { InputError } from '../../http/declare/validate.ts'

/**
 * Parses a Go duration such as `1h30m` and returns milliseconds.
 *
 * @param path position in the request, for messages
 * @throws {InputError} for an invalid Go duration
 */
export function parseDuration(text: string, path: string): number {
  try {
    return parseGoDuration(text) / MILLISECOND
  } catch (error) {
    if (error instanceof Refusal) {
      throw new InputError([`${path} is not a Go duration: ${error.message}`])
    }
    throw error
  }
}
