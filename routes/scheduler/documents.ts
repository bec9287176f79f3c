import type { JsonSchema } from '../../state/kernel/schema.ts'
import { bool, int, text, uint } from '../../state/kernel/shape/kinds.ts'
import { described } from '../../state/kernel/shape/members.ts'
import { type ApiCoverage, coverOperations } from '../http/declare/coverage.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { parameters } from '../http/declare/parameters.ts'
import { type OperationStatuses, statusesOf } from '../http/openapi/operation-statuses.ts'
import { textApiDocument } from '../http/openapi/text-api-document.ts'
import { accessText } from './access.ts'
import type { SchedulerOperation } from './operation.ts'
import { outsideOperations, schedulerOperations } from './operations.ts'
import { wellKnownPrefix } from './operator/operations.ts'

export const apiPrefix = '/v1'

/** Lists the operations for `/_mock/coverage`, including those at the root of the server. */
export function schedulerCoverage(): ApiCoverage {
  const belowPrefix = coverOperations(schedulerOperations, apiPrefix)
  return { operations: [...belowPrefix, ...coverOperations(outsideOperations, '')] }
}

/** Parameters that every request accepts (behaviour/scheduler#conventions). */
const commonParameters = parameters({
  namespace: described(text, 'Namespace; `default` if left out'),
  region: described(text, 'Region; there is only one'),
  pretty: described(text, 'Indent the JSON of the reply; any value except 0'),
})

const readParameters = parameters({
  index: described(uint, 'Wait until the data has a higher index'),
  wait: described(text, 'Maximum time to wait, as a Go duration'),
  stale: described(bool, 'Accepted without effect'),
})

/** Parameters of lists, in addition to `commonParameters`. */
const pageParameters = parameters({
  prefix: described(text, 'Only objects whose ID or name begins with this'),
  filter: described(text, 'Only entries for which this expression is true'),
  per_page: described(int, 'Maximum number of entries of a page'),
  next_token: described(text, 'First entry of the page, as the previous page returned it'),
  reverse: described(bool, 'Whether to reverse the order'),
})

/**
 * Schema of a boolean query parameter: the strings that Go accepts
 * (behaviour/scheduler#conventions).
 */
const goBool = { enum: '0 1 t T true True TRUE f F false False FALSE'.split(' ') }

const documentedOperations = [...schedulerOperations, ...outsideOperations]

export function schedulerDocument(dialect: DialectName, version: string): JsonSchema {
  return textApiDocument(documentedOperations, {
    dialect,
    version,
    title: dialect === 'vendor' ? 'Nomad HTTP API' : 'Job Scheduler API',
    basePath: apiPrefix,
    pathExtensions: (path) => (path.startsWith(wellKnownPrefix) ? { servers: [{ url: '/' }] } : {}),
    tokenHeader: dialect === 'vendor' ? 'X-Nomad-Token' : 'X-Sched-Token',
    bodies: { ignoresUnknown: true },
    parameterScalarSchemas: { bool: goBool },
    replies({ reply, schema }) {
      if (schema !== undefined) return { 200: schema(dialect) }
      const statuses = Object.entries(reply)
      // Schemas are compared by reference, so a shape that several statuses share is copied for
      // each status.
      const copies = statuses.map(([status, shape]) => [status, shape && { ...shape }])
      return statuses.length > 1 ? Object.fromEntries(copies) : reply
    },
    parameters({ method, bodyShape }) {
      const lists = method === 'GET' && bodyShape?.kind === 'list'
      return [
        ...(lists ? [pageParameters] : []),
        ...(method === 'GET' ? [readParameters] : []),
        commonParameters,
      ]
    },
    access: ({ access }) => accessText(access),
    isOpen: ({ access }) => access === 'anyone',
    failures: commonFailures,
  })
}

/** Returns the statuses that the OpenAPI document declares, by operation. */
export function schedulerOperationStatuses(): OperationStatuses {
  return statusesOf(documentedOperations, commonFailures, (operation) =>
    // A reply with a `schema` has large shapes that are built on first use. Only the status is
    // needed here.
    operation.schema === undefined ? operation.reply : { 200: null },
  )
}

/** Returns the failure statuses that follow from an operation's path and access. */
function commonFailures({ path, access }: SchedulerOperation): readonly number[] {
  return [
    400,
    ...(access === 'anyone' ? [] : [403]),
    // Operations below `/client/` can name a node in the query, so a 404 is possible even without a
    // path parameter.
    ...(path.includes(':') || path.startsWith('/client/') ? [404] : []),
    500,
  ]
}
