/** The driver that the simulator plays; the recorded runs are of its nvidia-smi. */
export const DRIVER_VERSION = '550.163.01';
export const NVML_VERSION = '550.163';
export const CUDA_VERSION = '12.4';
