import { wordIn } from '../../../state/kernel/shape/dialect.ts'
import { type TestSource, testSource } from '../../../state/platform/test-runs/sources.ts'
import type { PlatformContext } from '../operation.ts'

/** Headers by which the command-line client is known, in either spelling (behaviour/platform#vendor-names). */
const clientHeaders = ['x-terraform-integration', 'x-infra-integration']

/** Where what a request makes comes from (behaviour/platform#create-test-run). */
export function requestSource(header: PlatformContext<unknown>['header']): TestSource {
  return clientHeaders.some((name) => header(name)) ? 'infra' : 'ent-api'
}

/** The source that a caller names, in either spelling; what is none stays as it is. */
export function parseSource(text: string): string {
  return testSource.words.find((word) => wordIn(testSource, word, 'vendor') === text) ?? text
}
