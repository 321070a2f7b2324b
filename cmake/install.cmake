# What `cmake --install` puts where, and the .deb. Everything is found relative to where it lies, so the
# tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(TALUS_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
install(TARGETS talus EXPORT talusTargets)
install(DIRECTORY include/talus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT talusTargets NAMESPACE talus:: DESTINATION ${TALUS_CMAKE_DIR})
configure_package_config_file(cmake/talusConfig.cmake.in talusConfig.cmake
  INSTALL_DESTINATION ${TALUS_CMAKE_DIR})
write_basic_package_version_file(talusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talusConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/talusConfigVersion.cmake DESTINATION ${TALUS_CMAKE_DIR})

file(RELATIVE_PATH TALUS_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" TALUS_PC_TO_PREFIX "${TALUS_PC_TO_PREFIX}")
configure_file(cmake/talus.pc.in talus.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS talus_program talus_reproduce)
install(DIRECTORY apps/plots DESTINATION ${CMAKE_INSTALL_DATADIR}/talus FILES_MATCHING PATTERN "*.py")
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/talus)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/talus)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES apps/completion/talus
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES apps/completion/_talus DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

# The man page is made from the program's own --help.
add_custom_command(OUTPUT talus.1
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cmake/make_man_page.py
          $<TARGET_FILE:talus_program> talus.1
  DEPENDS talus_program talus_reproduce cmake/make_man_page.py VERBATIM)
add_custom_target(talus_man_page ALL DEPENDS talus.1)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Two packages, `talus` (program, library, headers) and `python3-talus`, or everything as one archive.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
if(TARGET talus_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_PACKAGE_FILE_NAME "talus-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME talus)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_PROVIDES libtalus-dev)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-talus)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
math(EXPR TALUS_NEXT_PYTHON "${Python3_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
  "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), python3 (<< ${Python3_VERSION_MAJOR}.${TALUS_NEXT_PYTHON}), python3-numpy, python3-scipy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "talus, python3-matplotlib")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-ipykernel")
set(CPACK_PACKAGE_NAME talus)
set(CPACK_PACKAGE_CONTACT "Talus developers <talus@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "python3-numpy, python3-scipy, python3-matplotlib")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS
  "chromium, ffmpeg, libtbb-dev, libfmt-dev, libhdf5-dev, libyaml-cpp-dev, libpugixml-dev, libqhull-dev, zlib1g-dev, libmetis-dev")
find_program(TALUS_SHLIBDEPS dpkg-shlibdeps)
if(TALUS_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_STRIP_FILES ON)
include(CPack)
