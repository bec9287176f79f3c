import { Mesh } from './mesh.tsx'
import { Platform } from './platform.tsx'
import { Secrets } from './secrets.tsx'

/** Titles and components of the screens for single services, by their names in addresses. */
export const serviceScreens = {
  secrets: ['Secrets', Secrets],
  platform: ['Platform', Platform],
  mesh: ['Mesh', Mesh],
} as const
