import { word } from '../../kernel/shape/kinds.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/**
 * Source of a test run or configuration version: the command-line client, the API, or an uploaded
 * version (behaviour/platform#api-test-runs).
 */
export const testSource = word({
  infra: 'terraform',
  'ent-api': 'tfe-api',
  'ent-configuration-version': 'tfe-configuration-version',
})

/** Name of a source. */
export type TestSource = StoredOf<typeof testSource>
