import type { Choice } from '../http/coverage.ts'
import { settingsChoices } from './choices/settings.ts'
import { surfaceChoices } from './choices/surface.ts'
import { testRunChoices } from './choices/test-runs.ts'
import { variableChoices } from './choices/variables.ts'

/**
 * Every choice of the platform API that no rule of behaviour/platform makes
 * (behaviour/program#what-it-is).
 */
export const platformChoices: readonly Choice[] = [
  ...surfaceChoices,
  ...variableChoices,
  ...testRunChoices,
  ...settingsChoices,
]
