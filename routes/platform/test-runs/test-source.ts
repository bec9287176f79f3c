import { wordInDialect } from '../../../state/kernel/shape/dialect.ts'
import { type TestSource, testSource } from '../../../state/platform/test-runs/test-runs.ts'
import type { PlatformContext } from '../operation.ts'

/**
 * Headers that identify the command-line client, in either spelling
 * (behaviour/platform#vendor-names).
 */
const clientHeaders = ['x-terraform-integration', 'x-infra-integration']

/**
 * Returns the source of the resource that a request creates (behaviour/platform#api-test-runs).
 */
export function requestSource(header: PlatformContext<unknown>['header']): TestSource {
  return clientHeaders.some((name) => header(name)) ? 'infra' : 'ent-api'
}

/**
 * Returns the neutral spelling of a source, from either spelling. An unknown source is returned
 * unchanged.
 */
export function parseSource(text: string): string {
  return testSource.words.find((word) => wordInDialect(testSource, word, 'vendor') === text) ?? text
}
