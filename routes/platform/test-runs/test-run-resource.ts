import { constant, int, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, secret, struct } from '../../../state/kernel/shape/members.ts'
import { testRunTimes } from '../../../state/platform/test-runs/test-run-machine.ts'
import {
  type TestResults,
  type TestRun,
  testRunAttributes,
} from '../../../state/platform/test-runs/test-runs.ts'
import { attributeRenderer, timestampRenderer } from '../json-api/attributes.ts'
import {
  inDialect,
  linkedRelation,
  linkedRelationOf,
  type Resource,
  resourceShape,
} from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

export const testRunType = 'test-runs'

const testRunRenderer = attributeRenderer(testRunAttributes)
const timesRenderer = timestampRenderer(testRunTimes.fields)

const count = described(nullable(int), 'Null until the run is finished')

const attributes = struct({
  ...testRunRenderer.shape.fields,
  'status-timestamps': timesRenderer.shape,
  'log-read-url': secret(described(optional(text), 'Present once the run has started')),
  'test-configurable-type': constant('RegistryModule'),
  'test-configurable-id': text,
  'test-status': nullable(word('pass', 'fail')),
  'tests-passed': count,
  'tests-failed': count,
  'tests-errored': count,
  'tests-skipped': count,
  parallelism: described(optional(int), 'Only in the vendor dialect, if it was sent'),
})

/** Shape of a test run (behaviour/platform#api-test-runs; behaviour/platform#create-test-run). */
export const testRunShape = resourceShape(testRunType, attributes, {
  relationships: struct({
    'configuration-version': linkedRelationOf('configuration-versions'),
    'created-by': linkedRelationOf('users'),
  }),
})

/** Renders a test run, with a log address that the caller can reach. */
export function testRunResource(
  run: TestRun,
  context: Pick<PlatformContext<unknown>, 'world' | 'origin' | 'dialect'>,
): Resource {
  const { dialect } = context
  const { results, configuration_version: version, created_by: user } = run
  const hasParallelism = dialect.hasVendorAttributes && run.parallelism !== null
  const resource: Resource = {
    id: run.id,
    type: testRunType,
    attributes: {
      ...testRunRenderer.render(run),
      'status-timestamps': timesRenderer.render(run.reached),
      ...(run.log === null ? {} : { 'log-read-url': objectUrl(context, run.log) }),
      'test-configurable-type': 'RegistryModule',
      'test-configurable-id': run.module,
      'test-status': results === null ? null : testStatus(results),
      'tests-passed': results?.passed ?? null,
      'tests-failed': results?.failed ?? null,
      'tests-errored': results?.errored ?? null,
      'tests-skipped': results?.skipped ?? null,
      ...(hasParallelism ? { parallelism: run.parallelism } : {}),
    },
    relationships: {
      'configuration-version': linkedRelation('configuration-versions', version),
      'created-by': linkedRelation('users', user),
    },
  }
  return inDialect(resource, attributes, dialect)
}

/**
 * Returns `fail` if any test failed or errored, otherwise `pass`
 * (behaviour/platform#test-run-states).
 */
function testStatus({ failed, errored }: TestResults): 'pass' | 'fail' {
  return failed + errored > 0 ? 'fail' : 'pass'
}
