import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Packages come as Node hands them to the built program, not unwrapped.
    deps: { interopDefault: false },
    // Nothing mutable lives at module level, so test files can share what they import: loading it
    // anew for each file would take as long as the tests.
    isolate: false,
    coverage: {
      provider: 'v8',
      include: ['state/**/*.ts', 'routes/**/*.ts', 'src/**/*.ts'],
      reporter: ['text-summary'],
    },
  },
})
