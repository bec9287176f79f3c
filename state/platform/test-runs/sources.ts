import { word } from '../../kernel/shape/kinds.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/**
 * Where a test run or a configuration version comes from: the command-line client, the API, or a
 * version that was uploaded (behaviour/platform#api-test-runs).
 */
export const testSource = word({
  infra: 'terraform',
  'ent-api': 'tfe-api',
  'ent-configuration-version': 'tfe-configuration-version',
})

/** One of them. */
export type TestSource = StoredOf<typeof testSource>
