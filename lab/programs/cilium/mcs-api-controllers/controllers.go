// Package controllers stands in for a module that no registry serves: Cilium uses this one name of it.
package controllers

// DerivedServiceAnnotation marks a ServiceImport with the Service made for it (KEP-1645).
const DerivedServiceAnnotation = "multicluster.kubernetes.io/derived-service"
