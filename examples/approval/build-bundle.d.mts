/** Builds the example's policy in an empty folder. @returns path of the built bundle */
export function buildBundle(folder: string): string;
