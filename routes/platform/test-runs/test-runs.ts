import { any, bool, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withOthers } from '../../../state/kernel/shape/members.ts'
import { refuse } from '../../../state/platform/messages.ts'
import { createTestRun } from '../../../state/platform/test-runs/creation.ts'
import {
  type TestRun,
  testRunsOf,
  testRunWithId,
} from '../../../state/platform/test-runs/test-runs.ts'
import { cancelTestRun, forceCancelTestRun } from '../../../state/platform/test-runs/timing.ts'
import { answer } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import {
  blankable,
  inputVariables,
  optionalMembers,
  toRunVariable,
} from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { queryOf } from '../json-api/pagination.ts'
import { findModule, modulePath } from '../modules/module-scope.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { testRunResource, testRunShape, testRunType } from './test-run-resource.ts'
import { parseSource, requestSource } from './test-source.ts'

const inputAttributes = optionalMembers({
  verbose: bool,
  'test-directory': blankable,
  filters: list(text),
  variables: inputVariables,
  parallelism: int,
})

/**
 * Returns the test run that the path names. Throws 404 unless the run belongs to the module in the
 * path. Also throws the refusals of `findModule`.
 */
function findRun(scope: Scope): TestRun {
  const module = findModule(scope)
  const run = testRunWithId(scope.world, scope.params['test_run_id'] ?? '')
  if (run?.module !== module.id) throw refuse('not-found')
  return run
}

/** Returns the sources to filter by, any of which may match; undefined without a filter. */
function sourceFilter({ address }: PlatformContext<unknown>): Set<string> | undefined {
  const names = queryOf(address.url)
    .getAll('filter[source]')
    .flatMap((list) => list.split(','))
    .map((name) => parseSource(name.trim()))
    .filter((name) => name !== '')
  return names.length === 0 ? undefined : new Set(names)
}

const createSpec = 'behaviour/platform#api-test-runs; behaviour/platform#create-test-run'
const cancelSpec = 'behaviour/platform#api-errors; behaviour/platform#cancel'
const testRunRendering = { shape: testRunShape, render: testRunResource }

const onModule = operationsOn('caller', findModule, createSpec)
const onRun = operationsOn('caller', findRun, cancelSpec)

const listPath = `${modulePath}/test-runs` as const
const onePath = `${modulePath}/test-runs/:test_run_id` as const

/**
 * Query parameters of the list. A page number or size that is not a number counts as missing
 * (behaviour/platform#pagination).
 */
const listQuery = withOthers(
  parameters({ 'filter[source]': described(any, 'Comma-separated sources') }),
  any,
)

export const testRunOperations = [
  onModule.document('POST', listPath, testRunRendering, {
    id: 'createTestRun',
    summary: "Run a module's tests.",
    body: { type: testRunType, attributes: inputAttributes },
    run({ context, body }) {
      const { world, caller, subject, header } = context
      const { attributes, relationships } = body()
      return createTestRun(
        world,
        subject,
        {
          configurationVersion: relatedId(relationships, 'configuration-version'),
          verbose: attributes.verbose,
          testDirectory: attributes['test-directory'],
          filters: attributes.filters,
          variables: attributes.variables?.map(toRunVariable),
          parallelism: attributes.parallelism,
        },
        { user: caller.user.id, source: requestSource(header) },
      )
    },
  }),
  onModule.page(listPath, testRunRendering, {
    id: 'listTestRuns',
    summary: "List a module's test runs, newest first.",
    spec: 'behaviour/platform#api-test-runs; behaviour/platform#list-test-runs',
    query: listQuery,
    run({ context }) {
      return testRunsOf(context.world, context.subject.id, sourceFilter(context))
    },
  }),
  onRun.document('GET', onePath, testRunRendering, {
    id: 'readTestRun',
    summary: 'Read a test run.',
    spec: 'behaviour/platform#api-endpoints; behaviour/platform#list-test-runs',
    run: ({ context }) => context.subject,
  }),
  onRun('POST', `${onePath}/cancel`, {
    id: 'cancelTestRun',
    summary: 'Cancel a running test run: ask it to stop.',
    failures: [409],
    reply: { 202: null },
    run: ({ context: { world, subject } }) => {
      cancelTestRun(world, subject)
      return answer(202, undefined)
    },
  }),
  onRun('POST', `${onePath}/force-cancel`, {
    id: 'forceCancelTestRun',
    summary: 'End a test run that was asked to stop.',
    failures: [409],
    reply: { 202: null },
    run: ({ context: { world, subject } }) => {
      forceCancelTestRun(world, subject)
      return answer(202, undefined)
    },
  }),
]
