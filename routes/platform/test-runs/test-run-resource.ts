import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { TestRunTimes } from '../../../state/platform/test-runs/test-run-machine.ts'
import type { TestResults, TestRun } from '../../../state/platform/test-runs/test-runs.ts'
import { attributeTime, statusTime } from '../../../state/platform/timestamps.ts'
import { inDialect, type Resource, resourceSchema } from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

/** The type of test runs. */
export const testRunType = 'test-runs'

const text = { type: 'string' } as const
const countOrNull = { type: ['integer', 'null'], description: 'Null until the run is finished' }

/** The schema of a relationship with one resource and a link to it. */
function relatedSchema(type: string): JsonSchema {
  return {
    type: 'object',
    required: ['data', 'links'],
    additionalProperties: false,
    properties: {
      data: {
        type: 'object',
        required: ['id', 'type'],
        additionalProperties: false,
        properties: { id: text, type: { const: type } },
      },
      links: {
        type: 'object',
        required: ['related'],
        additionalProperties: false,
        properties: { related: text },
      },
    },
  }
}

/** A test run as documents hold it (2-platform.md, Test run; 2-platform-decisions.md section 2.1). */
export const testRunSchema = resourceSchema(
  testRunType,
  {
    status: { enum: ['pending', 'queued', 'running', 'errored', 'canceled', 'finished'] },
    'status-timestamps': {
      type: 'object',
      additionalProperties: false,
      properties: {
        'queued-at': text,
        'started-at': text,
        'finished-at': text,
        'errored-at': text,
        'canceled-at': text,
        'force-canceled-at': text,
      },
    },
    'log-read-url': { ...text, description: 'Present once the run has started' },
    'created-at': text,
    'updated-at': text,
    'test-configurable-type': { const: 'RegistryModule' },
    'test-configurable-id': text,
    variables: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'value'],
        additionalProperties: false,
        properties: { key: text, value: text },
      },
    },
    filters: { type: 'array', items: text },
    'test-directory': text,
    verbose: { type: 'boolean' },
    'test-status': { enum: ['pass', 'fail', null] },
    'tests-passed': countOrNull,
    'tests-failed': countOrNull,
    'tests-errored': countOrNull,
    'tests-skipped': countOrNull,
    source: text,
    message: text,
    parallelism: { type: 'integer', description: 'In the vendor dialect, where it was sent' },
  },
  {
    optional: ['log-read-url', 'parallelism'],
    relationships: {
      type: 'object',
      required: ['configuration-version', 'created-by'],
      additionalProperties: false,
      properties: {
        'configuration-version': relatedSchema('configuration-versions'),
        'created-by': relatedSchema('users'),
      },
    },
  },
)

const timeNames: readonly (readonly [keyof TestRunTimes, string])[] = [
  ['queued_at', 'queued-at'],
  ['started_at', 'started-at'],
  ['finished_at', 'finished-at'],
  ['errored_at', 'errored-at'],
  ['canceled_at', 'canceled-at'],
  ['force_canceled_at', 'force-canceled-at'],
]

/** A run as a resource, its log's address as this caller can use it. */
export function testRunResource(
  run: TestRun,
  context: Pick<PlatformContext<unknown>, 'world' | 'origin' | 'dialect'>,
): Resource {
  const { dialect } = context
  const { results, configuration_version: version, created_by: user } = run
  const timestamps = timeNames.flatMap(([key, name]) => {
    const at = run.reached[key]
    return at === undefined ? [] : [[name, statusTime(at)]]
  })
  const hasParallelism = dialect.extras && run.parallelism !== null
  return inDialect(
    {
      id: run.id,
      type: testRunType,
      attributes: {
        status: run.status,
        'status-timestamps': Object.fromEntries(timestamps),
        ...(run.log === null ? {} : { 'log-read-url': objectUrl(context, run.log) }),
        'created-at': attributeTime(run.created_at),
        'updated-at': attributeTime(run.updated_at),
        'test-configurable-type': 'RegistryModule',
        'test-configurable-id': run.module,
        variables: run.variables,
        filters: run.filters,
        'test-directory': run.test_directory,
        verbose: run.verbose,
        'test-status': results === null ? null : verdict(results),
        'tests-passed': results?.passed ?? null,
        'tests-failed': results?.failed ?? null,
        'tests-errored': results?.errored ?? null,
        'tests-skipped': results?.skipped ?? null,
        source: dialect.out('source', run.source),
        message: dialect.out('runMessage', run.message),
        ...(hasParallelism ? { parallelism: run.parallelism } : {}),
      },
      relationships: {
        'configuration-version': {
          data: { id: version, type: 'configuration-versions' },
          links: { related: `/api/v2/configuration-versions/${version}` },
        },
        'created-by': {
          data: { id: user, type: 'users' },
          links: { related: `/api/v2/users/${user}` },
        },
      },
    },
    dialect,
  )
}

/** `fail` where any test failed or errored (2-platform-decisions.md section 2.3). */
function verdict({ failed, errored }: TestResults): 'pass' | 'fail' {
  return failed + errored > 0 ? 'fail' : 'pass'
}
