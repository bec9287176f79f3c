import { isObject, type Members } from '../../../state/kernel/objects.ts'
import type { InParts } from '../../../state/kernel/parts.ts'
import { Mistakes } from '../../../state/kernel/refusal.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../../state/kernel/worlds/service.ts'
import { World } from '../../../state/kernel/worlds/world.ts'
import { pointerName } from '../../http/declare/validate.ts'

/**
 * Original indexes of the entries that remain in each shortened list, by the JSON pointer of the
 * list. Lists are shortened by removing entries with mistakes.
 */
type OriginalIndexes = Map<string, readonly number[]>

/**
 * Loads the parts of a document that have the right shape, with pauses, and collects the refusals
 * of the services. Mistakes of shape and of meaning can then be reported together.
 *
 * @param problems mistakes of shape, each of which begins with its JSON pointer
 * @param path position of the document within a larger document
 * @returns the mistakes of meaning, with one line for each
 */
export function* problemsOfTrial(
  services: readonly ServiceDefinition[],
  document: Members,
  problems: readonly string[],
  path: string,
): InParts<readonly string[]> {
  const originalIndexes: OriginalIndexes = new Map()
  const pointers = new ProblemPointers(problems, path)
  const validParts = Object.entries(document).flatMap(([name, part]) => {
    const at = `/${pointerName(name)}`
    if (!pointers.hasProblemAt(at)) return [[name, part]]
    return services.some((service) => service.name === name) && isObject(part)
      ? [[name, withoutProblems(part, at, pointers, originalIndexes)]]
      : []
  })
  try {
    const world = yield* World.createInParts({
      id: 'trial',
      seed: 'trial',
      services,
      document: Object.fromEntries(validParts) as StateDocument,
    })
    world.close()
  } catch (error) {
    // Exceptions other than `Mistakes` are ignored, because the removed parts may have caused them.
    const { problems: refused } = error instanceof Mistakes ? error : { problems: [] }
    return refused.map((line) => path + withOriginalIndex(line, originalIndexes))
  }
  return []
}

/** Positions of the mistakes of shape, as JSON pointers. */
class ProblemPointers {
  readonly #pointers: Set<string>

  constructor(problems: readonly string[], path: string) {
    this.#pointers = new Set(problems.flatMap((line) => pointerPrefixes(line.slice(path.length))))
  }

  /** Returns true if there is a mistake at a position or below it. */
  hasProblemAt(pointer: string): boolean {
    return this.#pointers.has(pointer)
  }
}

/**
 * Returns the JSON pointers to which a problem message may refer: every prefix of the message that
 * may be its initial JSON pointer, and the pointers above that pointer. Names in a pointer may
 * contain spaces, so the end of the pointer is not known.
 */
function pointerPrefixes(line: string): readonly string[] {
  const ends = [...line.matchAll(/[/ ]|$/g)].map(({ index }) => index)
  return ends.filter((end) => end > 0).map((end) => line.slice(0, end))
}

/**
 * Returns the part of a service without the values that have the wrong shape. If rows are affected,
 * returns an empty part, because the remaining rows would describe another state. Adds the original
 * indexes of shortened lists to `originalIndexes`.
 */
function withoutProblems(
  part: Members,
  at: string,
  pointers: ProblemPointers,
  originalIndexes: OriginalIndexes,
): Members {
  if (pointers.hasProblemAt(`${at}/tables`)) return {}
  return Object.fromEntries(
    Object.entries(part).flatMap(([name, form]) => {
      const pointer = `${at}/${pointerName(name)}`
      if (!pointers.hasProblemAt(pointer)) return [[name, form]]
      if (Array.isArray(form)) {
        const kept = [...form.keys()].filter(
          (index) => !pointers.hasProblemAt(`${pointer}/${index}`),
        )
        originalIndexes.set(pointer, kept)
        return kept.length < form.length ? [[name, kept.map((index) => form[index])]] : []
      }
      const entries = isObject(form) ? Object.entries(form) : []
      const kept = entries.filter(
        ([key]) => !pointers.hasProblemAt(`${pointer}/${pointerName(key)}`),
      )
      return kept.length < entries.length ? [[name, Object.fromEntries(kept)]] : []
    }),
  )
}

/**
 * Corrects the list index in a problem message that begins with a pointer such as
 * `/service/table/index`. The checked document contains shortened lists, so the index there differs
 * from the index in the caller's document. Returns other messages unchanged.
 */
function withOriginalIndex(line: string, originalIndexes: OriginalIndexes): string {
  const [, list = '', index = '', rest = ''] = /^(\/[^/]+\/[^/]+)\/(\d+)(\D.*)?$/s.exec(line) ?? []
  const originalIndex = originalIndexes.get(list)?.[Number(index)]
  return originalIndex === undefined ? line : `${list}/${originalIndex}${rest}`
}
