import { Mesh } from './mesh.tsx'
import { Platform } from './platform.tsx'
import { Secrets } from './secrets.tsx'

/**
 * Title and component of each screen for a single service, by the screen's name in the page's
 * address.
 */
export const serviceScreens = {
  secrets: ['Secrets', Secrets],
  platform: ['Platform', Platform],
  mesh: ['Mesh', Mesh],
} as const
