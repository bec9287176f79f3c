import type { Choice } from '../http/coverage.ts'
import { settingsChoices } from './choices/settings.ts'
import { surfaceChoices } from './choices/surface.ts'
import { testRunChoices } from './choices/test-runs.ts'
import { variableChoices } from './choices/variables.ts'

/**
 * Every choice of the platform API that neither 2-platform.md nor 2-platform-decisions.md makes
 * (DESIGN section 1).
 */
export const platformChoices: readonly Choice[] = [
  ...surfaceChoices,
  ...variableChoices,
  ...testRunChoices,
  ...settingsChoices,
]
