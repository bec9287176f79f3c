import { wordIn } from '../../../state/kernel/shape/dialect.ts'
import { type TestSource, testSource } from '../../../state/platform/test-runs/sources.ts'
import type { PlatformContext } from '../operation.ts'

/** Headers by which the command-line client is known, in either spelling (behaviour/platform#vendor-names). */
const markers = ['x-terraform-integration', 'x-infra-integration']

/** Where what a request makes comes from (behaviour/platform#create-test-run). */
export function sourceOf(header: PlatformContext<unknown>['header']): TestSource {
  return markers.some((name) => header(name)) ? 'infra' : 'ent-api'
}

/** The source that a caller names, in either spelling; what is none stays as it is. */
export function sourceNamed(sent: string): string {
  return testSource.words.find((word) => wordIn(testSource, word, 'vendor') === sent) ?? sent
}
