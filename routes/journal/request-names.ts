import { suggestionFor } from '../http/declare/similarity.ts'
import { InputError } from '../http/declare/validate.ts'

/** Function that returns the ids of the operations of each service, by the name of the service. */
export type RequestNames = () => ReadonlyMap<string, readonly string[]>

/** A matcher, and its JSON pointer within the request for messages. */
export interface PlacedMatch {
  readonly match:
    | { readonly service?: string | undefined; readonly operation?: string | undefined }
    | undefined
  readonly place: string
}

/**
 * Refuses matchers that name a service or an operation that does not exist. Accepts every name if
 * `names` is undefined. Without this check, an assertion that a request was not made would pass if
 * its matcher had a misspelled name.
 *
 * @throws {InputError} with each unknown name and, if there is one, a similar known name
 */
export function checkRequestNames(
  matches: readonly PlacedMatch[],
  names: RequestNames | undefined,
): void {
  if (names === undefined) return
  const problems = matches.flatMap(({ match, place }) => {
    const { service, operation } = match ?? {}
    if (service === undefined && operation === undefined) return []
    const known = names()
    const services = [...known.keys()]
    const operations =
      service === undefined || !known.has(service)
        ? [...known.values()].flat()
        : (known.get(service) ?? [])
    const owner = service !== undefined && known.has(service) ? ` of ${service}` : ''
    return [
      ...unknownName(service, services, `${place}/service`, 'a service'),
      ...unknownName(operation, operations, `${place}/operation`, `an operation${owner}`),
    ]
  })
  if (problems.length > 0) throw new InputError(problems)
}

function unknownName(
  name: string | undefined,
  known: readonly string[],
  at: string,
  what: string,
): readonly string[] {
  if (name === undefined || known.includes(name)) return []
  const suggestion = suggestionFor(name, known)
  const remedy = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  return [`${at} is not ${what}: "${name}"${remedy}`]
}
