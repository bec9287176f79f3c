import { schedulerOperations } from '../../../routes/scheduler/operations.ts'
import type { ComparedRequest } from '../../../src/cli/compare/request.ts'
import type { Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { decodeBody } from '../../../state/scheduler/decoding.ts'
import { validateShape } from '../../../state/scheduler/jobs/request-shapes.ts'

/** Values of every kind of JSON; at least one of them has the wrong type for a member. */
const badValues = ['"bad"', '1.5', '-1', '300', '1e30', 'true', '{}', '[]', '[1]', '{"a":1}']

/** Maximum nesting of members, which bounds shapes that contain themselves. */
const maxDepth = 14

/** Returns the paths of all members in a shape; `*` is an item of a list, `?` one of a map. */
function* memberPaths(shape: Shape, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > maxDepth) return
  switch (shape.kind) {
    case 'nullable':
      yield* memberPaths(shape.to, path)
      return
    case 'list':
      yield [...path, '*']
      yield* memberPaths(shape.of, [...path, '*'])
      return
    case 'map':
      yield [...path, '?']
      yield* memberPaths(shape.of, [...path, '?'])
      return
    case 'struct':
      for (const [name, { shape: member, vendor = name }] of Object.entries(shape.fields)) {
        yield [...path, vendor]
        yield* memberPaths(member, [...path, vendor])
      }
      return
    default:
  }
}

/** Returns JSON that contains only the value at a path. */
function jsonAt(path: readonly string[], value: string): string {
  return path.reduceRight((inner, step) => {
    if (step === '*') return `[${inner}]`
    return `{${JSON.stringify(step === '?' ? 'key' : step)}:${inner}}`
  }, value)
}

/** Returns a request for each member of a body and each kind of value. */
function* requestsOf(method: string, path: string, shape: StructShape) {
  for (const steps of memberPaths(shape)) {
    for (const value of badValues) {
      const body = jsonAt(steps, value)
      const operation = `${method} ${path} ${steps.join('.')} = ${value}`
      yield { operation, method, path, body, token: 'root' }
    }
  }
}

/**
 * Returns a request for each member of a job and each kind of value. The validation stores nothing,
 * whatever it accepts.
 */
export function badJobRequests(): readonly ComparedRequest[] {
  return [...requestsOf('POST', 'validate/job', validateShape)]
}

/** Returns the requests about the members of all other bodies that the mock cannot decode. */
export function badBodyRequests(): readonly ComparedRequest[] {
  return schedulerOperations.flatMap(({ method, path, body }) => {
    if (body === undefined || 'Job' in body.fields) return []
    const filled = path.slice(1).replace(/:(\w+)/g, '00000000-0000-4000-8000-000000000000')
    return [...requestsOf(method, filled, body)].filter((each) => !isDecodable(each.body, body))
  })
}

function isDecodable(text: string, shape: StructShape): boolean {
  try {
    decodeBody(text, shape)
    return true
  } catch {
    return false
  }
}
