import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Packages come as Node hands them to the built program, not unwrapped.
    deps: { interopDefault: false },
    coverage: {
      provider: 'v8',
      include: ['state/**/*.ts', 'routes/**/*.ts', 'src/**/*.ts'],
      reporter: ['text-summary'],
    },
  },
})
