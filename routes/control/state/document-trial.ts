import { Mistakes } from '../../../state/kernel/refusal.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../../state/kernel/worlds/service.ts'
import { World } from '../../../state/kernel/worlds/world.ts'
import { pointerName } from '../../http/declare/validate.ts'

type Plain = Readonly<Record<string, unknown>>

/** Where entries of a list stood before others were left out: by the pointer of the list. */
type OriginalIndexes = Map<string, readonly number[]>

/**
 * Loads what of a document has the right shape, to hear what the services refuse of it: so are
 * mistakes of meaning told together with those of shape.
 *
 * @param problems the mistakes of shape, each with its JSON pointer in front
 * @param path where the document stands in a larger one
 * @returns the mistakes of meaning, one line for each
 */
export function problemsOfTrial(
  services: readonly ServiceDefinition[],
  document: Plain,
  problems: readonly string[],
  path: string,
): readonly string[] {
  const originalIndexes: OriginalIndexes = new Map()
  const pointers = new ProblemPointers(problems, path)
  const rest = Object.entries(document).flatMap(([name, part]) => {
    const at = `/${pointerName(name)}`
    if (!pointers.hasProblemAt(at)) return [[name, part]]
    return services.some((service) => service.name === name) && isPlain(part)
      ? [[name, withoutProblems(part, at, pointers, originalIndexes)]]
      : []
  })
  try {
    new World({
      id: 'trial',
      seed: 'trial',
      services,
      document: Object.fromEntries(rest) as StateDocument,
    }).close()
  } catch (error) {
    // Whatever else goes wrong may well follow from what was left out.
    const { problems: refused } = error instanceof Mistakes ? error : { problems: [] }
    return refused.map((line) => path + withOriginalIndex(line, originalIndexes))
  }
  return []
}

/** The mistakes of shape by place. */
class ProblemPointers {
  readonly #places: Set<string>

  constructor(problems: readonly string[], path: string) {
    this.#places = new Set(problems.flatMap((line) => pointerPrefixes(line.slice(path.length))))
  }

  /** Tells whether something is wrong at or below a place. */
  hasProblemAt(pointer: string): boolean {
    return this.#places.has(pointer)
  }
}

/** The places that a line may be about: its pointer, whose names may have spaces, and all above it. */
function pointerPrefixes(line: string): readonly string[] {
  const ends = [...line.matchAll(/[/ ]|$/g)].map(({ index }) => index)
  return ends.filter((end) => end > 0).map((end) => line.slice(0, end))
}

/** A service's part without what has the wrong shape: without rows, all of it is another state. */
function withoutProblems(
  part: Plain,
  at: string,
  pointers: ProblemPointers,
  originalIndexes: OriginalIndexes,
): Plain {
  if (pointers.hasProblemAt(`${at}/tables`)) return {}
  return Object.fromEntries(
    Object.entries(part).flatMap(([name, form]) => {
      const hasProblemAt = `${at}/${pointerName(name)}`
      if (!pointers.hasProblemAt(hasProblemAt)) return [[name, form]]
      if (Array.isArray(form)) {
        const kept = [...form.keys()].filter(
          (index) => !pointers.hasProblemAt(`${hasProblemAt}/${index}`),
        )
        originalIndexes.set(hasProblemAt, kept)
        return kept.length < form.length ? [[name, kept.map((index) => form[index])]] : []
      }
      const entries = isPlain(form) ? Object.entries(form) : []
      const kept = entries.filter(
        ([key]) => !pointers.hasProblemAt(`${hasProblemAt}/${pointerName(key)}`),
      )
      return kept.length < entries.length ? [[name, Object.fromEntries(kept)]] : []
    }),
  )
}

/** A line about an entry of a list, with the number that the entry has in the whole one. */
function withOriginalIndex(line: string, originalIndexes: OriginalIndexes): string {
  const [, list = '', index = '', rest = ''] = /^(\/[^/]+\/[^/]+)\/(\d+)(\D.*)?$/s.exec(line) ?? []
  const place = originalIndexes.get(list)?.[Number(index)]
  return place === undefined ? line : `${list}/${place}${rest}`
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
